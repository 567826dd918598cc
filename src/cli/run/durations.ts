/**
 * Durations as people write them: `500ms`, `30s`, `5m`, `1h`.
 */
import { UsageError } from '../../core/errors.ts'

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

const DURATION = /^(\d{1,9})(ms|s|m|h|d)$/

/** What a duration looks like, as the end of a sentence. */
const DURATION_FORM = 'a duration such as 500ms, 30s, 5m or 1h'

/** @returns milliseconds; undefined for what is no duration, a number without its unit included */
export function readDurationMs(text: string): number | undefined {
  const [, digits, unit = ''] = DURATION.exec(text) ?? []
  const unitMs = UNIT_MS[unit]
  return digits === undefined || unitMs === undefined ? undefined : Number(digits) * unitMs
}

/** @throws UsageError that names the option and shows the form */
export function requireDurationMs(text: string, option: string): number {
  const ms = readDurationMs(text)
  if (ms !== undefined) return ms
  throw new UsageError(`--${option} is "${text}"; write ${DURATION_FORM}.`)
}
