/**
 * `agentd keys`: the keys that sign envelopes, and those that are trusted to have signed them.
 *
 * Works on the files alone. A daemon that is running sees the change at the next signature it checks.
 *
 * @see AEE-044…AEE-051, AEE-086
 */
import { Command } from 'commander'
import {
  ALGORITHMS,
  formatKeyFields,
  isAlgorithm,
  readKeyFields,
  type Algorithm,
} from '../../../aee/keys/fields.ts'
import { Key, readKey } from '../../../aee/keys/key.ts'
import { createKey } from '../../../aee/keys/new-key.ts'
import { UsageError } from '../../../core/errors.ts'
import { readOwnFile } from '../../../host/files/own-file.ts'
import { isHandle } from '../../../protocol/address/handle.ts'
import { askPerson, isDryRun } from '../../authority/person.ts'
import { safeLine } from '../../../core/text/safe-text.ts'
import { readTimestampMs } from '../../../core/text/timestamp.ts'
import { asUsage } from '../../run/as-usage.ts'
import { runs, type CommandContext } from '../../run/command-context.ts'
import { readStdin } from '../../input/content.ts'
import { EXIT, type ExitCode } from '../../run/exit.ts'
import { KeyFolder } from '../../keys/key-folder.ts'
import { describeKey, formatEntities, formatKeys } from '../../keys/key-table.ts'
import { choiceOption, readFlag, readTextOption } from '../../run/options.ts'
import { confirm, requireSomebody } from '../../setup/confirm.ts'
import { GROUPS } from '../../help/groups.ts'

/** The command. */
export function keysCommand(): Command {
  return new Command('keys')
    .helpGroup(GROUPS.envelopes)
    .description('The keys that sign envelopes, and those you trust')
    .addHelpText('after', '\nExample: agentd keys new agent.reviewer')
    .addCommand(newCommand())
    .addCommand(
      new Command('list')
        .description('All keys, and for whom they may sign')
        .addHelpText('after', '\nExample: agentd keys list --json')
        .action(runs(list)),
    )
    .addCommand(
      new Command('export')
        .description('Print the public part of a key, to hand it over')
        .argument('<kid>', 'the id of the key')
        .addHelpText('after', '\nExample: agentd keys export 2026-01-31-3f9a1c2b > reviewer.json')
        .action(runs(exportKey)),
    )
    .addCommand(
      new Command('trust')
        .description("Trust somebody's key for the entities it names")
        .argument('<file>', 'what "keys export" printed, or a key file of HS256; "-" reads stdin')
        .addHelpText('after', '\nExample: agentd keys trust reviewer.json')
        .action(runs(trust)),
    )
    .addCommand(
      new Command('revoke')
        .description('Trust a key no more; its file stays, so that its id is never used again')
        .argument('<kid>', 'the id of the key')
        .option('--yes', 'do not ask')
        .option('--dry-run', 'say what would be asked, and change nothing')
        .addHelpText('after', '\nExample: agentd keys revoke 2026-01-31-3f9a1c2b')
        .action(runs(revoke)),
    )
}

function newCommand(): Command {
  return new Command('new')
    .description('Make a key; one that replaces another is simply a further one')
    .argument('[entity...]', 'whose envelopes it signs: names, "agent.*" for all below a prefix, or "*"')
    .option('--for <handle>', 'sign documents for a handle of yours, such as ~acme, instead of envelopes')
    .addOption(choiceOption('--alg <algorithm>', 'what it signs by (default: ed25519)', ALGORITHMS))
    .option('--kid <kid>', 'its id (default: the day and eight random digits)')
    .option('--not-before <time>', 'not valid before this RFC 3339 time')
    .option('--not-after <time>', 'not valid after this RFC 3339 time')
    .addHelpText(
      'after',
      '\nExample: agentd keys new agent.reviewer "agent.reviewer.*" --not-after 2027-01-01T00:00:00Z',
    )
    .action(runs(newKey))
}

function newKey(context: CommandContext): ExitCode {
  const { output, options } = context
  const alg = readTextOption(options, 'alg') ?? 'ed25519'
  if (!isAlgorithm(alg)) throw new UsageError(`--alg is one of ${ALGORITHMS.join(', ')}.`)
  const entities = readSigned(context, alg)
  const isAllowed =
    !entities.some(isDocumentSigner) || mayHoldAuthority(context, 'Make a key that signs for', entities)
  if (!isAllowed) return EXIT.done
  const { kid, text } = asUsage(() =>
    createKey({
      alg,
      entities,
      nowMs: Date.now(),
      kid: readTextOption(options, 'kid'),
      notBefore: readTime(context, 'notBefore'),
      notAfter: readTime(context, 'notAfter'),
    }),
  )
  const file = new KeyFolder(context.environment).add(kid, text)
  const key = readKey(text)
  output.data({ ...describeKey(key, Date.now()), file })
  output.say(`made the key ${kid} (${alg}) for ${formatEntities(key)}`)
  output.note(
    alg === 'HS256'
      ? `Whoever is to verify needs the file itself, and can then sign as well: ${safeLine(file)}`
      : `For those who verify what it signs: agentd keys export ${kid}`,
  )
  return EXIT.done
}

/** What the new key is to sign for. @throws UsageError for both kinds at once, and for none */
function readSigned({ options, args }: CommandContext, alg: Algorithm): readonly string[] {
  const handle = readTextOption(options, 'for')
  if (handle === undefined) {
    if (args.some(isDocumentSigner)) throw new UsageError('A key that signs for a handle is made with --for.')
    if (args.length > 0) return args
    throw new UsageError('Name the entities it signs for, or a handle with --for.')
  }
  if (args.length > 0) throw new UsageError('--for takes a key of its own: leave out the entities.')
  if (alg !== 'ed25519') throw new UsageError('A key that signs for a handle is of ed25519.')
  if (isHandle(handle)) return [handle]
  throw new UsageError(`--for is "${handle}"; write a handle such as ~acme.`)
}

/** Whether a key of these entities signs documents that say who may what. */
function isDocumentSigner(entity: string): boolean {
  return entity.startsWith('~')
}

function mayHoldAuthority(context: CommandContext, what: string, entities: readonly string[]): boolean {
  const handles = entities.filter(isDocumentSigner).map((one) => safeLine(one))
  return askPerson(context, `${what} ${handles.join(', ')}?`)
}

function list(context: CommandContext): ExitCode {
  const { output } = context
  const { keys, faults } = new KeyFolder(context.environment).read()
  const nowMs = Date.now()
  output.data({ keys: keys.map((key) => describeKey(key, nowMs)), faults })
  if (keys.length === 0) output.say('there are no keys; "agentd keys new <entity>" makes one')
  else output.answer(formatKeys(keys, nowMs, output))
  for (const fault of faults) output.note(safeLine(fault))
  return EXIT.done
}

function exportKey(context: CommandContext): ExitCode {
  const folder = new KeyFolder(context.environment)
  const key = folder.require(context.args[0] ?? '')
  const fields = key.publicFields()
  if (fields === undefined) {
    throw new UsageError(
      `The key "${key.kid}" is of HS256 and has no public part: whoever verifies needs the file itself, ${folder.pathOf(key.kid)}, and can then sign as well.`,
    )
  }
  context.output.data(fields)
  context.output.answer(formatKeyFields(fields).trimEnd())
  return EXIT.done
}

function trust(context: CommandContext): ExitCode {
  const { output, environment, args } = context
  const [source = ''] = args
  const text = source === '-' ? readStdin() : readHandedOver(source, context)
  const fields = asUsage(() => readKeyFields(text))
  if (fields.private !== undefined) {
    throw new UsageError(
      'The file holds the private part too, so it is not only its owner\'s any more; ask for what "agentd keys export" prints.',
    )
  }
  const key = asUsage(() => new Key(fields))
  const folder = new KeyFolder(environment)
  if (isTrusted(key, folder)) {
    output.data({ ...describeKey(key, Date.now()), file: folder.pathOf(key.kid) })
    output.say(`the key ${key.kid} (${key.alg}) is trusted for ${formatEntities(key)} already`)
    return EXIT.done
  }
  const isAllowed =
    !key.entities.some(isDocumentSigner) ||
    mayHoldAuthority(
      context,
      `Trust the key "${key.kid}" (${key.publicFields()?.public ?? ''}) to sign for`,
      key.entities,
    )
  if (!isAllowed) return EXIT.done
  const file = folder.add(key.kid, formatKeyFields(fields))
  output.data({ ...describeKey(key, Date.now()), file })
  output.say(`${describeTrust(key)} ${key.kid} (${key.alg}) for ${formatEntities(key)}`)
  return EXIT.done
}

/** Whether the very same key counts here, as that of an organisation does whose invitation brought it. */
function isTrusted(key: Key, folder: KeyFolder): boolean {
  const here = folder.read().find(key.kid)
  if (here?.status !== 'trusted') return false
  const [known, wanted] = [here.publicFields(), key.publicFields()]
  return known !== undefined && wanted !== undefined && formatKeyFields(known) === formatKeyFields(wanted)
}

/** Of a revocation; there is no way back. */
const WHAT_FOLLOWS = 'What it has signed and signs counts no more, and it cannot be trusted again.'

function revoke(context: CommandContext): ExitCode {
  const { output, environment, options, args } = context
  const folder = new KeyFolder(environment)
  const key = folder.require(args[0] ?? '')
  const { kid, status } = key
  const isNew = status === 'trusted'
  const what = `Revoke the key ${kid} for ${formatEntities(key)}? ${WHAT_FOLLOWS}`
  if (isNew && isDryRun(context, what)) return EXIT.done
  if (isNew && !readFlag(options, 'yes')) {
    requireSomebody(context, 'look with --dry-run, then repeat with --yes')
    if (!confirm(context, what)) {
      output.note('Nothing was changed.')
      return EXIT.done
    }
  }
  if (isNew) folder.revoke(kid)
  output.data({ kid, status: 'revoked', changed: isNew })
  output.say(isNew ? `revoked the key ${kid}` : `the key ${kid} was revoked before`)
  return EXIT.done
}

/** The trust somebody else has taken from a key is taken over with it. */
function describeTrust(key: Key): string {
  return key.status === 'revoked' ? 'noted the revoked key' : 'trusted the key'
}

/** A file that others may write could hold another key by now than the one that was sent. */
function readHandedOver(path: string, { environment }: CommandContext): string {
  const file = readOwnFile(path, environment.uid)
  if (file.kind === 'text') return file.text
  throw new UsageError(
    `The file ${path} cannot be trusted: ${file.kind === 'absent' ? 'it is not there' : file.reason}.`,
  )
}

function readTime({ options }: CommandContext, name: 'notBefore' | 'notAfter'): number | undefined {
  const text = readTextOption(options, name)
  const timeMs = text === undefined ? undefined : readTimestampMs(text)
  if (text === undefined || timeMs !== undefined) return timeMs
  const flag = name === 'notBefore' ? '--not-before' : '--not-after'
  throw new UsageError(`${flag} is "${text}"; write an RFC 3339 time such as 2027-01-01T00:00:00Z.`)
}
