/**
 * Durations as people write them: `5` in seconds, `90s`, `5m30s`, `2d`.
 */
import { readDurationMs } from '../../core/text/durations.ts'
import { UsageError } from '../../core/errors.ts'

/** What a duration looks like, as the end of a sentence. */
const DURATION_FORM = 'a duration such as 90s, 5m30s or 2d; a number alone is seconds'

/** @throws UsageError that names the option and shows the form */
export function requireDurationMs(text: string, option: string): number {
  const ms = readDurationMs(text)
  if (ms !== undefined) return ms
  throw new UsageError(`--${option} is "${text}"; write ${DURATION_FORM}.`)
}
