/**
 * `agentd inbox`: what waits for a session that lives turn by turn.
 */
import { Command } from 'commander'
import { UsageError } from '../../../core/errors.ts'
import type { AgentdSession, Drained } from '../../../client/index.ts'
import { DEFAULT_WAIT_MS } from '../../../core/limits.ts'
import { safeBlock } from '../../../core/text/safe-text.ts'
import { runs, type CommandContext } from '../../run/command-context.ts'
import { formatCount } from '../../../core/text/counts.ts'
import { formatEnvelope } from '../../items/envelope-line.ts'
import { EXIT, type ExitCode } from '../../run/exit.ts'
import { formatFrame } from '../../items/frame-line.ts'
import { LeaseResources } from '../../leases/lease-resources.ts'
import { formatGap } from '../../../protocol/sse/gap-line.ts'
import { readCount, readFlag, readWaitTimeout } from '../../run/options.ts'
import { reachDaemon } from '../../run/reach.ts'
import { readSessionNames, type SessionNames } from '../../run/session-names.ts'
import { GROUPS } from '../../help/groups.ts'

/** The command. */
export function inboxCommand(): Command {
  return new Command('inbox')
    .helpGroup(GROUPS.read)
    .description("Take what waits in a session's mailbox, once")
    .option('--peek', 'look without taking')
    .option('--max-items <count>', 'at most this many items (default: 20)')
    .option('--max-bytes <count>', 'at most this many bytes (default: 4000)')
    .option('--text', 'the digest that can be put before a model as it is')
    .option('--wait', 'wait until something is there')
    .option('--timeout <duration>', 'how long to wait (default: 30s)')
    .addHelpText('after', '\nExample: AGENTD_TOKEN=... agentd inbox --wait --timeout 5m')
    .action(runs(inbox))
}

async function inbox(context: CommandContext): Promise<ExitCode> {
  const { token, options } = context
  if (token === undefined) {
    throw new UsageError('An inbox belongs to a session: give its token with --token or AGENTD_TOKEN.')
  }
  const timeoutMs = readWaitTimeout(options)
  const isWaiting = readFlag(options, 'wait')
  const drain = readDrain(context)
  const client = await reachDaemon(context)
  try {
    const session = await client.attach(token)
    const unread = isWaiting ? await session.inbox.wait(timeoutMs ?? DEFAULT_WAIT_MS) : 1
    if (unread === 0) return EXIT.deadline
    // Before the drain, which is once: whatever is taken is shown.
    const names = await readSessionNames(session)
    const drained = await drain(session)
    const resources = await resourcesOf(drained, session)
    show(drained, { principal: client.principal, names, resources }, context)
    return EXIT.done
  } finally {
    await client.close()
  }
}

function readDrain({ options }: CommandContext): (session: AgentdSession) => Promise<Drained> {
  const wanted = {
    maxItems: readCount(options, 'maxItems'),
    maxBytes: readCount(options, 'maxBytes'),
    peek: readFlag(options, 'peek'),
    format: readFlag(options, 'text') ? ('text' as const) : ('json' as const),
  }
  return (session) => session.inbox.drain(wanted)
}

/** What leases are on that frames name by their ids alone, item by item. */
async function resourcesOf(
  { items }: Drained,
  session: AgentdSession,
): Promise<readonly (string | undefined)[]> {
  const leases = new LeaseResources()
  for (const { frame } of items) if (frame !== undefined) leases.observe(frame)
  const found: (string | undefined)[] = []
  for (const { frame } of items)
    found.push(frame === undefined ? undefined : await leases.find(frame, session))
  return found
}

/** What is known besides the items. */
interface Known {
  readonly principal: string
  readonly names: SessionNames
  readonly resources: readonly (string | undefined)[]
}

function show(drained: Drained, { principal, names, resources }: Known, { output }: CommandContext): void {
  const { items, remaining, gap, text, unreadable, coalesced } = drained
  output.data(drained)
  if (gap !== null) output.note(formatGap(gap))
  if (text === undefined) {
    const { paint, columns } = output
    const view = { paint, columns, principal, full: true, nowMs: Date.now() }
    for (const [i, item] of items.entries()) {
      const { frame, sender } = item
      const beside = { name: names.get(sender ?? ''), resource: resources[i] }
      const line = frame === undefined ? formatEnvelope(item, view) : formatFrame(frame, view, beside)
      output.answer(line)
    }
  } else if (text !== '') {
    output.answer(safeBlock(text))
  }
  if (items.length === 0) output.note('The mailbox is empty.')
  if (coalesced > 0) output.note(`${formatCount(coalesced, 'older item')} replaced by newer ones.`)
  if (unreadable > 0)
    output.note(`${formatCount(unreadable, 'item')} not shown: this agentd cannot read them.`)
  if (remaining > 0) output.note(`${formatCount(remaining, 'item')} still waiting.`)
}
