/**
 * Reading what commander has parsed, and the values it leaves as text.
 */
import { Option } from 'commander'
import { UsageError } from '../../core/errors.ts'
import { readDurationMs } from '../../core/text/durations.ts'
import { readTimestampMs } from '../../core/text/timestamp.ts'
import { requireDurationMs } from './durations.ts'

/** Parsed options by attribute name. */
export type Options = Readonly<Record<string, unknown>>

/** A value that was given. */
export function readTextOption(options: Options, name: string): string | undefined {
  const value = options[name]
  return typeof value === 'string' ? value : undefined
}

/** Whether a switch was given. */
export function readFlag(options: Options, name: string): boolean {
  return options[name] === true
}

/** @throws UsageError that names the option and shows the form */
export function readDuration(options: Options, name: string): number | undefined {
  const text = readTextOption(options, name)
  return text === undefined ? undefined : requireDurationMs(text, name)
}

/** A time that is over, also as how long ago it was: `2h`. @returns RFC 3339. @throws UsageError that shows both forms */
export function readPastTime(options: Options, name: string, nowMs: number): string | undefined {
  const text = readTextOption(options, name)
  if (text === undefined || readTimestampMs(text) !== undefined) return text
  // A number alone may be meant in days, and what is forgotten by it does not come back.
  const agoMs = /^\d+$/.test(text) ? undefined : readDurationMs(text)
  if (agoMs !== undefined) return new Date(Math.max(0, nowMs - agoMs)).toISOString()
  throw new UsageError(
    `--${name} is "${text}"; write how long ago, such as 2h, or an RFC 3339 time such as 2027-01-01T00:00:00Z.`,
  )
}

/** @throws UsageError that names the option */
export function readCount(options: Options, name: string): number | undefined {
  const text = readTextOption(options, name)
  if (text === undefined) return undefined
  if (/^\d{1,9}$/.test(text)) return Number(text)
  const flag = name.replaceAll(/[A-Z]/g, (capital) => `-${capital.toLowerCase()}`)
  throw new UsageError(`--${flag} is "${text}"; it must be a whole number.`)
}

/** Names with commas between them; undefined when the option was not given. */
export function readList(options: Options, name: string): readonly string[] | undefined {
  return readTextOption(options, name)
    ?.split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '')
}

/** Everything that may be waited for. */
export type WaitState = 'seen' | 'all'

/** The `--wait` of `send` and `receipts`. */
export function readWait(options: Options): WaitState | undefined {
  const text = readTextOption(options, 'wait')
  return text === 'seen' || text === 'all' ? text : undefined
}

/** The `--timeout` that goes with `--wait`, of whatever kind. @throws UsageError for one without the other */
export function readWaitTimeout(options: Options): number | undefined {
  const timeoutMs = readDuration(options, 'timeout')
  if (timeoutMs === undefined || options['wait'] !== undefined) return timeoutMs
  throw new UsageError('--timeout goes with --wait.')
}

/** Whether what is long may go to a pager: unless `--no-pager` says no. */
export function mayPage(options: Options): boolean {
  return options['pager'] !== false
}

/** An option with a closed set of values. */
export function choiceOption(flags: string, description: string, choices: readonly string[]): Option {
  return new Option(flags, description).choices(choices)
}
