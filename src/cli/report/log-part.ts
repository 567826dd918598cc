/**
 * The last lines of the log for a report: what happened and how often, and nothing about whom.
 */
import { memberOf } from '../../core/text/json-object.ts'
import type { LogLine } from '../logs/log-line.ts'
import type { Redactor } from './redactor.ts'

/** Fields with a sentence of agentd's own. */
const SENTENCES = new Set(['why', 'note', 'message', 'detail', 'reason'])

/** Fields with one word out of a closed set. */
const WORDS = new Set([
  'code',
  'kind',
  'route',
  'method',
  'signal',
  'state',
  'of',
  'driver',
  'profile',
  'need_restart',
])

/** A frame of a stack, and what agentd says before it has a log. */
const OWN_LINE = /^\s+at |^agentd: |^\w*Error\b/

/** One line of the report. */
export function redactLogLine(line: LogLine, redactor: Redactor): string {
  const { fields, text, ts = '', level = '', event = '' } = line
  if (fields === undefined)
    return OWN_LINE.test(text) ? redactor.text(text) : `[a line of ${text.length} characters]`
  const time = /^[\d:TZ.-]{20,30}$/.test(ts) ? ts : '[time]'
  const told = Object.keys(fields).map(
    (name) => `${redactor.word(name)}=${redactField(name, fields, redactor)}`,
  )
  return [time, redactor.word(level), redactor.word(event), ...told].join(' ')
}

function redactField(name: string, fields: LogLine['fields'] & object, redactor: Redactor): string {
  const value = memberOf(fields, name)
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return String(value)
  if (typeof value !== 'string') return '[text]'
  if (WORDS.has(name)) return redactor.word(value)
  return SENTENCES.has(name) ? JSON.stringify(redactor.text(value)) : '[text]'
}
