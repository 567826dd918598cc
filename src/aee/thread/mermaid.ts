/**
 * A workflow as a Mermaid sequence diagram.
 *
 * Names and intents are somebody else's words: whatever Mermaid could read as its own is written as a character
 * reference, so that no word can end a line, open a block or add a participant.
 *
 * @see https://mermaid.js.org/syntax/sequenceDiagram.html
 */
import { formatDuration } from '../../core/text/durations.ts'
import { safeLine } from '../../core/text/safe-text.ts'
import type { EnvelopeType } from '../envelope/envelope.ts'
import { notesOf, spokenNote } from './hop-notes.ts'
import type { Hop } from './hops.ts'

/** One arrow per type: asked solid, answered dotted, failed with a cross, one-way with an open head. */
const ARROWS: Readonly<Record<EnvelopeType, string>> = {
  task: '->>',
  result: '-->>',
  event: '-)',
  error: '--x',
  stream: '--)',
}

/** Characters of a label; a diagram with more is not read by anybody. */
const MAX_LABEL_LENGTH = 120

/** The diagram, with a line break at its end. */
export function formatMermaid(hops: readonly Hop[]): string {
  const names = new Map<string, string>()
  for (const { item } of hops) {
    const { from, to } = item.envelope
    for (const entity of [from, to]) if (!names.has(entity)) names.set(entity, `p${names.size}`)
  }
  const participants = [...names].map(([entity, name]) => `  participant ${name} as ${formatLabel(entity)}`)
  // In the order of acceptance: time goes downwards.
  const inTime = hops.toSorted((a, b) => Date.parse(a.item.acceptedAt) - Date.parse(b.item.acceptedAt))
  const messages = inTime.map((hop) => {
    const { type, from, to } = hop.item.envelope
    return `  ${names.get(from) ?? ''}${ARROWS[type]}${names.get(to) ?? ''}: ${formatLabel(describe(hop))}`
  })
  return `${['sequenceDiagram', ...participants, ...messages].join('\n')}\n`
}

function describe(hop: Hop): string {
  const { type, intent } = hop.item.envelope
  const notes = [
    ...(hop.afterMs === null ? [] : [formatDuration(hop.afterMs)]),
    ...notesOf(hop).map(spokenNote),
  ]
  return `${type} ${intent}${notes.length === 0 ? '' : ` (${notes.join(', ')})`}`
}

/** What Mermaid reads as text whatever stands around it. */
const PLAIN = /[^A-Za-z0-9 ._()/+-]/gu

/** The word that closes a block, wherever it stands. */
const END = /\b(e)n(d)\b/gi

/** @returns never empty */
function formatLabel(text: string): string {
  const line = Array.from(safeLine(text))
  const cut = line.length > MAX_LABEL_LENGTH ? `${line.slice(0, MAX_LABEL_LENGTH).join('')}…` : line.join('')
  const escaped = cut
    .replaceAll(PLAIN, (character) => `#${character.codePointAt(0) ?? 0};`)
    .replaceAll(END, (_, first: string, last: string) => `${first}#110;${last}`)
    .trim()
  return escaped === '' ? '#63;' : escaped
}
