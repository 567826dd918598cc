/**
 * What became of an envelope that was sent, in words that claim no more than the daemon does.
 */
import type { Envelope } from '../../aee/envelope/envelope.ts'
import type { SentEnvelope } from '../../client/index.ts'
import { safeLine } from '../../core/text/safe-text.ts'
import type { CommandContext } from '../run/command-context.ts'
import { formatReached } from '../../protocol/verb/sent-line.ts'
import type { Output } from '../terminal/output.ts'

/** Prints who got it, and the names that a later command needs; under `--quiet` only its id. */
export function tellSent(
  sent: SentEnvelope & { readonly envelope: Envelope },
  { output }: CommandContext,
): void {
  const { envelope } = sent
  if (output.quiet) output.answer(safeLine(sent.id))
  const { type, intent, to, corr } = envelope
  output.say(`sent ${safeLine(`${type} ${intent} for ${to}`)}${formatReached(sent)}`)
  output.say(`id ${safeLine(sent.id)}\ncorr ${safeLine(corr)}`)
  noteRemarks(sent, envelope.priority, output)
}

/** What the daemon noticed, beside the matter. */
export function noteRemarks(sent: SentEnvelope, priority: string, output: Output): void {
  const { effectivePriority, warnings, late, duplicate } = sent
  if (duplicate) output.note('The daemon had it already; it was not delivered again.')
  if (late) output.note('Its task had come to its end before; it goes out marked as late.')
  if (effectivePriority !== priority) {
    output.note(`It is treated as ${safeLine(effectivePriority)}, not as ${safeLine(priority)}.`)
  }
  for (const { code, field, message } of warnings) {
    const where = field === undefined || message.includes(`"${field}"`) ? '' : ` [${field}]`
    output.note(safeLine(`warning: ${code}: ${message}${where}`))
  }
}
