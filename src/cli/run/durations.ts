/**
 * Durations as people write them: `500ms`, `30s`, `5m`, `1h`.
 */
import { readDurationMs } from '../../core/text/durations.ts'
import { UsageError } from '../../core/errors.ts'

/** What a duration looks like, as the end of a sentence. */
const DURATION_FORM = 'a duration such as 500ms, 30s, 5m or 1h'

/** @throws UsageError that names the option and shows the form */
export function requireDurationMs(text: string, option: string): number {
  const ms = readDurationMs(text)
  if (ms !== undefined) return ms
  throw new UsageError(`--${option} is "${text}"; write ${DURATION_FORM}.`)
}
