/**
 * A decision in words: all eight slots, and the id that an answer names.
 *
 * @see memo §5.10; AC-081…AC-090; docs/http.md §7
 */
import type { FrameOf } from './frame.ts'

/** A line for each of what there is; the text is the sender's and not yet safe to print. */
export function decisionLines({ payload, frame_id }: FrameOf<'agent_binding_moment'>): readonly string[] {
  const { synopsis, findings, recommendations, offer, question } = payload
  return [
    synopsis,
    ...findings.map((finding) => `found: ${finding}`),
    ...recommendations.map((recommendation) => `recommended: ${recommendation}`),
    `offered: ${offer}`,
    question.stem,
    ...optionLines(question),
    hatchLine(question.hatches),
    `[decision ${frame_id}]`,
  ]
}

/** All of it on one line. */
export function summariseDecision(frame: FrameOf<'agent_binding_moment'>): string {
  return decisionLines(frame).join(' · ')
}

type Question = FrameOf<'agent_binding_moment'>['payload']['question']

/** Counted from 1, as people choose one. */
function optionLines({ options, recommended_idx }: Question): readonly string[] {
  return options.map(({ label, reasoning }, index) => {
    const mark = index === recommended_idx ? ' (recommended)' : ''
    return `${index + 1}) ${label}${mark}: ${reasoning}`
  })
}

/** One of the two is always open (AC-089). */
function hatchLine({ free_text = true, dialogue = true }: NonNullable<Question['hatches']> = {}): string {
  const ways = [...(free_text ? ['another answer'] : []), ...(dialogue ? ['another question'] : [])]
  return `or ${ways.join(', or ')}`
}
