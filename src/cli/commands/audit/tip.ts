/**
 * `agentd audit tip`: how far each chain goes, to be kept where whoever can write the ledgers cannot.
 *
 * @see docs/requirements.md §§2.3, 2.4
 */
import { spawnSync } from 'node:child_process'
import { Command } from 'commander'
import { UsageError } from '../../../core/errors.ts'
import { safeLine } from '../../../core/text/safe-text.ts'
import { ownLedgers } from '../../evidence/own-ledgers.ts'
import { readTips, signTip } from '../../evidence/tip.ts'
import { KeyFolder } from '../../keys/key-folder.ts'
import { runs, type CommandContext } from '../../run/command-context.ts'
import { EXIT, type ExitCode } from '../../run/exit.ts'
import { readTextOption } from '../../run/options.ts'
import { printJson } from '../../terminal/print.ts'

/** How long git may take to make a tag, in milliseconds: it may ask an agent for a key. */
const TAG_MS = 30_000

/** The command. */
export function auditTipCommand(): Command {
  return new Command('tip')
    .description('Print how far each chain goes, for a place that those who can write the ledgers cannot')
    .argument('[file...]', 'ledgers (default: your own)')
    .option('--sign <kid>', 'sign it with this key; "agentd keys list" shows those there are')
    .option('--git-tag [name]', 'keep it in this repository as an annotated tag (default: agentd-tip-<time>)')
    .addHelpText(
      'after',
      `
"agentd audit verify --tip FILE" holds the ledgers against it. Of a tag:
git for-each-ref --format='%(contents)' refs/tags/NAME | agentd audit verify --tip -

Example: agentd audit tip --sign alice-2026 --git-tag`,
    )
    .action(runs(tip))
}

function tip({ args, options, environment, output }: CommandContext): ExitCode {
  const files = args.length > 0 ? args : ownLedgers(environment)
  const at = new Date().toISOString()
  const kid = readTextOption(options, 'sign')
  const bare = readTips(files, at)
  const signed = kid === undefined ? bare : signTip(bare, new KeyFolder(environment).require(kid))
  const text = JSON.stringify(signed)
  const { gitTag } = options
  if (gitTag !== undefined) output.note(`tagged ${safeLine(tagWith(text, nameOf(gitTag, at)))}`)
  printJson(text)
  return EXIT.done
}

function nameOf(said: unknown, at: string): string {
  return typeof said === 'string' ? said : `agentd-tip-${at.replaceAll(/[-:]|\.\d+/g, '')}`
}

/** @throws UsageError with git's own reason */
function tagWith(text: string, name: string): string {
  const args = ['tag', '--annotate', '--file=-', '--cleanup=verbatim', '--end-of-options', name]
  const { status, stderr, error } = spawnSync('git', args, {
    input: `${text}\n`,
    encoding: 'utf8',
    timeout: TAG_MS,
  })
  if (status === 0) return name
  const [why = ''] = (error?.message ?? stderr).trim().split('\n')
  throw new UsageError(`git has made no tag: ${why}`)
}
