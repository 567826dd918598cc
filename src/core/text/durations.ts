/**
 * Durations and times of day as people read and write them: `500ms`, `42s`, `3h 12m`, `01:50:29`.
 */

/** Unit → its length in milliseconds, longest first. */
const UNITS_MS: ReadonlyMap<string, number> = new Map([
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
  ['ms', 1],
])

/** What people read: nothing below a second. */
const READ_UNITS = [...UNITS_MS].slice(0, -1)

/** Numbers with their units, longest unit first and each at most once. */
const DURATION = /^(?:(\d{1,9})d)?(?:(\d{1,9})h)?(?:(\d{1,9})m)?(?:(\d{1,9})s)?(?:(\d{1,9})ms)?$/

/** Seconds, as sleep(1) and timeout(1) take them. */
const BARE_SECONDS = /^\d{1,9}$/

/** An age as people say it: `now`, `42s`, `3m`, `5h`, `2d`. */
export function formatAge(ageMs: number): string {
  const unit = READ_UNITS.find(([, unitMs]) => ageMs >= unitMs)
  return unit === undefined ? 'now' : `${Math.floor(ageMs / unit[1])}${unit[0]}`
}

/** How long ago that is: `just now`, `3m ago`; a clock that lies ahead is now. */
export function formatAgo(ageMs: number): string {
  const age = formatAge(ageMs)
  return age === 'now' ? 'just now' : `${age} ago`
}

/** The two largest units: `3h 12m`, `7d`, `42s`; below a second: `0s`. */
export function formatSpan(spanMs: number): string {
  const parts: string[] = []
  let leftMs = spanMs
  for (const [unit, unitMs] of READ_UNITS) {
    const count = Math.floor(leftMs / unitMs)
    leftMs -= count * unitMs
    if (count > 0 && parts.length < 2) parts.push(`${count}${unit}`)
    else if (parts.length > 0) break
  }
  return parts.length === 0 ? '0s' : parts.join(' ')
}

/** `12ms`, `3.4s`, and from a minute on as {@link formatSpan}; a clock that stepped makes it negative. */
export function formatDuration(ms: number): string {
  const size = Math.abs(ms)
  const sign = ms < 0 ? '-' : ''
  if (size < 1_000) return `${sign}${Math.round(size)}ms`
  if (size < 60_000) return `${sign}${(size / 1_000).toFixed(1)}s`
  return `${sign}${formatSpan(size)}`
}

/** HH:MM:SS on the clock of this machine. @param atMs - NaN for what was no time */
export function formatClock(atMs: number): string {
  // ECMA-262 gives the time string this beginning.
  return Number.isNaN(atMs) ? '--:--:--' : new Date(atMs).toTimeString().slice(0, 8)
}

/** Of `90s`, `5m30s`, `2d`, or `5`, which is in seconds. @returns milliseconds; undefined for what is no duration */
export function readDurationMs(text: string): number | undefined {
  if (BARE_SECONDS.test(text)) return Number(text) * 1_000
  const counts = text === '' ? undefined : DURATION.exec(text)?.slice(1)
  return counts && [...UNITS_MS.values()].reduce((ms, unitMs, at) => ms + Number(counts[at] ?? 0) * unitMs, 0)
}
