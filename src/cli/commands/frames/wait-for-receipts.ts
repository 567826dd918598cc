/**
 * Waiting until a frame has been seen, and saying by whom.
 *
 * @see docs/http.md §5; PD-01
 */
import { formatAge } from '../../../core/text/durations.ts'
import { AgentdError } from '../../../core/errors.ts'
import {
  type EnvelopeReceipts,
  type Participant,
  type Receipt,
  type ReceiptOptions,
  type Receipts,
} from '../../../client/index.ts'
import { safeLine } from '../../../core/text/safe-text.ts'
import type { CommandContext } from '../../run/command-context.ts'
import { EXIT, type ExitCode } from '../../run/exit.ts'
import type { WaitState } from '../../run/options.ts'
import { asParticipant } from '../../run/reach.ts'
import { introduceSession, readSessionNames, type SessionNames } from '../../run/session-names.ts'
import { formatTable } from '../../terminal/table.ts'
import { printOut } from '../../terminal/print.ts'
import { formatSent, type VerbOutcome } from '../../verbs/report.ts'

/** A frame that was sent, and what is waited for. */
export interface SentAndWaited {
  readonly outcome: Extract<VerbOutcome, { kind: 'sent' }>
  readonly wait: WaitState
  readonly timeoutMs: number | undefined
}

/** Tells of the sending at once, and of the receipts when they have come. */
export async function sendAndWait(
  { outcome, wait, timeoutMs }: SentAndWaited,
  context: CommandContext,
): Promise<ExitCode> {
  const { output } = context
  const { frameId } = outcome.sent
  // For programs there is one object, with what the waiting brought.
  if (!output.json || frameId === undefined) printOut(formatSent(outcome, output))
  if (frameId === undefined) return EXIT.done
  const { found, own, names } = await waitForReceipts(frameId, { wait, timeoutMs }, context)
  output.data(found)
  const others = found.receipts.filter(({ address, node }) => node !== undefined || address !== own)
  if (others.length > 0) output.say(formatReceipts(found, names, context))
  const exit = judge(others, wait, found.away)
  if (exit === EXIT.deadline) output.note('The time was over before what was waited for came.')
  return exit
}

/** What came of the waiting. */
interface Waited {
  readonly found: Receipts | EnvelopeReceipts
  /** The caller's own address, which is no recipient to wait for. */
  readonly own: unknown
  /** Of the recipients that are there. */
  readonly names: SessionNames
}

/** The receipts, when what is waited for has come or the time is over. */
export function waitForReceipts(
  id: string,
  options: ReceiptOptions,
  context: CommandContext,
): Promise<Waited> {
  return asParticipant(context, async (participant) => ({
    found: await findReceipts(participant, id, options),
    own: 'address' in participant ? participant.address : undefined,
    names: await readSessionNames(participant),
  }))
}

/** Of a frame, or else of an envelope: ids of both may look alike. */
async function findReceipts(
  participant: Participant,
  id: string,
  options: ReceiptOptions,
): Promise<Receipts | EnvelopeReceipts> {
  try {
    return await participant.receipts(id, options)
  } catch (error) {
    const isNoFrame =
      error instanceof AgentdError && (error.code === 'not-found' || error.code === 'field-invalid')
    if (!isNoFrame) throw error
    return participant.envelopeReceipts(id, options)
  }
}

/** How a wait ends: 0 when what was waited for is there, 3 when there was nobody, 4 when the time was over. */
export function judge(receipts: readonly Receipt[], wait: WaitState, away: readonly string[] = []): ExitCode {
  // A node that is away changes no end (FED-52).
  const others = receipts.filter(
    ({ node, state }) => node === undefined || isSeen({ state }) || !away.includes(node),
  )
  if (others.length === 0) return EXIT.nobody
  return (wait === 'seen' ? others.some(isSeen) : others.every(isSeen)) ? EXIT.done : EXIT.deadline
}

function isSeen({ state }: Pick<Receipt, 'state'>): boolean {
  return state === 'seen'
}

/** One row per recipient. */
export function formatReceipts(
  { acceptedAt, receipts }: Pick<Receipts, 'acceptedAt' | 'receipts'>,
  names: SessionNames,
  { output }: CommandContext,
): string {
  const rows = receipts.map(({ address, state, at, via, node, code }) => {
    const afterMs = Math.max(0, Date.parse(at) - Date.parse(acceptedAt))
    const where = node === undefined ? '' : ` on ${safeLine(node)}`
    const who = node === undefined ? introduceSession(address, names) : safeLine(address)
    return [safeLine(state), formatAge(afterMs), safeLine(via ?? code ?? ''), `${who}${where}`]
  })
  const columns = [{ title: 'STATE' }, { title: 'AFTER' }, { title: 'VIA' }, { title: 'RECIPIENT' }]
  return formatTable(columns, rows, { paint: output.paint, columns: output.columns })
}
