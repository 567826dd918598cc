/**
 * A need as people read it: who asks, for how long, what, and the command that answers it.
 *
 * Every string of a need is somebody else's; nothing is printed that `safe-text.ts` has not seen (R-38).
 */
import type { PersonNeed } from '../../client/index.ts'
import { readApprovalRequest } from '../../aee/intents/approval.ts'
import { formatAge, formatSpan } from '../../core/text/durations.ts'
import { safeBlock, safeLine } from '../../core/text/safe-text.ts'
import { decisionLines } from '../../protocol/frame/spoken-decision.ts'
import type { Palette } from '../../core/display/palette.ts'
import { wrapTo } from '../../core/display/width.ts'

/** For whom it is shown. */
export interface NeedView {
  readonly paint: Palette
  /** Undefined where nothing is to be wrapped. */
  readonly columns: number | undefined
  readonly nowMs: number
}

/** What stands in front of every line but the first. */
const INDENT = '  '

/** What is asked, and how it is answered. @param id - as it is typed */
export function formatNeed(need: PersonNeed, id: string, view: NeedView): string {
  const answer = view.paint.dim(`answer: ${safeLine(howToAnswer(need, id))}`)
  return `${formatAsked(need, id, view)}\n${INDENT}${answer}`
}

/** Its head and its text. */
export function formatAsked(need: PersonNeed, id: string, { paint, columns, nowMs }: NeedView): string {
  const head = [
    ...(need.type === 'prompt' ? [] : [paint.bold(safeLine(id))]),
    paint.green(need.type),
    paint.cyan(whoAsks(need)),
    paint.dim(whenAsked(need, nowMs)),
  ].join(INDENT)
  const room = columns === undefined ? Infinity : Math.max(1, columns - INDENT.length)
  const body = linesOf(need).flatMap((line) => wrapTo(safeBlock(line), room))
  return [head, ...body.map((line) => `${INDENT}${line}`)].join('\n')
}

/** What is asked, all eight slots of a decision included. */
export function linesOf({ frame, envelope, text, type }: PersonNeed): readonly string[] {
  if (frame?.kind === 'agent_binding_moment') return decisionLines(frame)
  const approval = type === 'approval' && envelope ? readApprovalRequest(envelope.payload) : undefined
  if (approval === undefined) return [text]
  const { task, summary } = approval
  return [summary, `task ${task.id}: ${task.intent}, from ${task.from}`]
}

function whoAsks({ from, envelope }: PersonNeed): string {
  const { name, address, title, present } = from
  const who = name ?? address ?? envelope?.from ?? 'a shell of yours'
  const called = title === null || name !== undefined ? who : `${who} (${title})`
  return safeLine(present || address === null ? called : `${called} (has left)`)
}

function whenAsked({ askedAt, until, state }: PersonNeed, nowMs: number): string {
  const ageMs = nowMs - Date.parse(askedAt)
  const asked = ageMs < 1_000 ? 'now' : `${formatAge(ageMs)} ago`
  if (state === 'late') return `${asked}, late`
  return until === null ? asked : `${asked}, ${formatSpan(Math.max(0, Date.parse(until) - nowMs))} left`
}

function howToAnswer({ type, from, envelope }: PersonNeed, id: string): string {
  switch (type) {
    case 'decision':
      return `agentd decide ${id} 1`
    case 'approval':
      return `agentd approve ${id}, or agentd reject ${id}`
    case 'task':
      return `agentd envelope send --type result --from ${envelope?.to} --to ${envelope?.from} --intent ${envelope?.intent} --corr ${envelope?.corr} --reply-to ${envelope?.id} '{"text":"…"}'`
    case 'prompt':
      return `at its own prompt${from.cwd == null ? '' : `, in ${from.cwd}`}`
    case 'question':
    case 'diagnostic':
    default:
      return `agentd respond ${id} "…"`
  }
}
