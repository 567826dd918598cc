/**
 * `agentd link hub invite`: one machine more, and the one file that makes it one.
 *
 * @see FED-14, FED-40, FED-44
 */
import { fchmodSync, fstatSync } from 'node:fs'
import { isatty } from 'node:tty'
import { UsageError } from '../../../core/errors.ts'
import { principalOf } from '../../../link/realm.ts'
import { AuthorityFolder } from '../../authority/authority-folder.ts'
import { askBesideStdout, askPerson } from '../../authority/person.ts'
import type { CommandContext } from '../../run/command-context.ts'
import { EXIT, type ExitCode } from '../../run/exit.ts'
import { readTextOption } from '../../run/options.ts'
import { printError, printOut } from '../../terminal/print.ts'
import { findSignedNode } from './kept/own-node.ts'
import { homeWord } from './home-word.ts'
import { signEstate } from './kept/hub-estate.ts'
import { HubHome } from './kept/hub-home.ts'
import { writeNew } from '../../../host/files/new-file.ts'
import { createNode, joinText, requireNewNode, requireNode, withNode } from './kept/hub-node.ts'
import { tellServer } from './tell-server.ts'

/** Where the join file goes. */
type Target =
  | { readonly kind: 'hub' }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'stdout' }

const STDOUT = 1

/** The command's work. */
export async function inviteNode(context: CommandContext): Promise<ExitCode> {
  const { args, environment, output } = context
  const node = requireNode(args[0])
  const home = new HubHome(environment)
  const hub = home.require()
  requireNewNode(hub, node)
  const target = targetOf(context)
  const principal = principalOf(hub.realm)
  const authority = new AuthorityFolder(environment)
  if (findSignedNode(environment, authority, principal)?.node === node)
    throw new UsageError(`"${node}" is this machine itself; another one needs a name of its own.`)
  const question = `Let a machine "${node}" speak for ${principal}?`
  const isAgreed =
    target.kind === 'stdout' ? askBesideStdout(context, question) : askPerson(context, question)
  if (!isAgreed) return EXIT.done
  const path = await home.alone(async () => {
    const made = createNode(node)
    // What was written meanwhile by another command counts.
    const next = withNode(home.require(), made)
    const estate = await signEstate(authority, principal, (nodes) => [
      ...nodes.filter((one) => one.node !== node),
      made.inEstate,
    ])
    const placed = place(home, target, { node, text: joinText(next, made, home.authority(), estate) })
    home.put(next)
    return placed
  })
  const told = await tellServer(home, authority)
  output.data({ node, join: path ?? null, hub: told })
  // In front of what to do next, where the next thing is not that.
  if (told.state === 'unreached') output.note(told.sentence)
  if (path !== undefined) tellNext(context, node, path)
  if (told.state !== 'unreached') output.note(told.sentence)
  return told.state === 'unreached' ? EXIT.unreachable : EXIT.done
}

function targetOf({ options, output }: CommandContext): Target {
  const path = readTextOption(options, 'to')
  if (path !== undefined) return { kind: 'file', path }
  if (output.json || isatty(STDOUT)) return { kind: 'hub' }
  return { kind: 'stdout' }
}

/** @returns where it is; undefined for what went to stdout */
function place(
  home: HubHome,
  target: Target,
  { node, text }: { readonly node: string; readonly text: string },
): string | undefined {
  if (target.kind === 'hub') return home.putJoin(node, text)
  if (target.kind === 'file') {
    writeNew(target.path, text)
    return target.path
  }
  if (!makePrivate(STDOUT))
    printError('agentd: whoever reads this can be that machine; keep it in a file of mode 0600.\n')
  printOut(text)
  return undefined
}

/** A shell's own `>` lets others read what it makes. @returns whether it is a file, which nobody else can read now */
function makePrivate(descriptor: number): boolean {
  if (!fstatSync(descriptor).isFile()) return false
  fchmodSync(descriptor, 0o600)
  return true
}

function tellNext({ output, environment }: CommandContext, node: string, path: string): void {
  const { cyan } = output.paint
  const file = homeWord(path, environment)
  output.say(`"${node}" may link now; all it needs is in ${file}`)
  output.say('copy it there by a way that only you can read, and there add it:')
  output.say(`  ${cyan(`scp -p ${file} ${node}:${node}.link`)}`)
  output.say(`  ${cyan(`agentd link add home ${node}.link --allow all`)}`)
}
