/**
 * What the daemon says about itself. A port: `host/process/log-sink.ts` writes it, tests record it.
 */

/** Facts beside a log line: ids, codes, counts. Never a payload, never a token. */
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>

/** Three levels, because each answers a different question: what happened, what is off, what broke. */
export interface Logger {
  info(event: string, fields?: LogFields): void
  warn(event: string, fields?: LogFields): void
  error(event: string, fields?: LogFields): void
}
