/**
 * Where log lines go: one JSON object per line for a journal, one readable line for a terminal.
 *
 * Nothing in a field can start a line or steer a terminal, and nothing a client does over and over can fill
 * the disk: each event has its share of lines.
 *
 * @see docs/reliability.md §1.6 "Terminal", §1.7 "Logs"; R-10
 */
import type { LogFields, Logger } from '../../core/log.ts'
import { escapeUnseen } from '../../core/text/unseen.ts'

/** What the sink writes to; `process.stderr` in the daemon. */
export interface LogStream {
  write(text: string): unknown
  on(event: 'error', listener: (error: Error) => void): unknown
}

/** What the sink is built from. */
export interface LogSinkParts {
  readonly stream: LogStream
  readonly format: 'json' | 'text'
  /** Wall time in milliseconds since 1970. */
  readonly nowMs: () => number
}

/** Lines one event may have per window; protects the journal from a client that causes one per request. */
const LINES_PER_WINDOW = 10
const WINDOW_MS = 10_000

/** Events told apart; a closed vocabulary has tens. The rest share one window. */
const MAX_WINDOWS = 256

type Level = keyof Logger

interface LogLine {
  readonly atMs: number
  readonly level: Level
  readonly event: string
  readonly fields: LogFields
}

/** How much of its share an event has used; replaced when the time is over. */
interface Window {
  readonly sinceMs: number
  lines: number
  suppressed: number
}

/**
 * A logger for this process. A stream that fails is left alone: there is nobody to tell, and a closed
 * terminal must not end the daemon.
 */
export function createLogSink({ stream, format, nowMs }: LogSinkParts): Logger {
  const encode = format === 'json' ? encodeJson : encodeText
  const windows = new Map<string, Window>()
  const write = (line: LogLine) => void stream.write(`${encode(line)}\n`)
  stream.on('error', () => {})

  const say = (level: Level, event: string, fields: LogFields = {}) => {
    const atMs = nowMs()
    const key = windows.has(event) || windows.size < MAX_WINDOWS ? event : ''
    const window = currentWindow(windows, key, atMs)
    if (window.finished > 0) {
      write({ atMs, level: 'warn', event: 'log-suppressed', fields: { of: key, lines: window.finished } })
    }
    if (window.admitted) write({ atMs, level, event, fields })
  }
  return {
    info: (event, fields) => say('info', event, fields),
    warn: (event, fields) => say('warn', event, fields),
    error: (event, fields) => say('error', event, fields),
  }
}

/** Counts one line. `finished` is how many were withheld in a window that has just ended. */
function currentWindow(windows: Map<string, Window>, key: string, nowMs: number) {
  const last = windows.get(key)
  // Wall time may step back; then the window starts anew.
  const isCurrent = last && nowMs >= last.sinceMs && nowMs < last.sinceMs + WINDOW_MS
  const window = isCurrent ? last : { sinceMs: nowMs, lines: 0, suppressed: 0 }
  windows.set(key, window)
  const admitted = window.lines < LINES_PER_WINDOW
  if (admitted) window.lines += 1
  else window.suppressed += 1
  return { admitted, finished: isCurrent ? 0 : (last?.suppressed ?? 0) }
}

/** The three heads come first and cannot be replaced by a field of the same name. */
function encodeJson({ atMs, level, event, fields }: LogLine): string {
  const head = { ts: new Date(atMs).toISOString(), level, event }
  return escapeUnseen(JSON.stringify({ ...head, ...fields, ...head }))
}

function encodeText({ atMs, level, event, fields }: LogLine): string {
  const told = Object.entries(fields).filter(([, value]) => value !== undefined)
  const pairs = told.map(([name, value]) => `${name}=${textValue(value)}`)
  return escapeUnseen([new Date(atMs).toISOString(), level.padEnd(5), textValue(event), ...pairs].join(' '))
}

function textValue(value: LogFields[string]): string {
  const text = String(value)
  return /^[^\s"=\p{C}]+$/u.test(text) ? text : JSON.stringify(text)
}
