/**
 * One line about one hook, for who looks inside (`AGENTD_DEBUG`): what it asked the daemon, and what it said or why it
 * said nothing. Loaded when somebody asks, and never otherwise.
 */
import { errorFields, type Debug } from '../../core/debug.ts'
import type { LogFields } from '../../core/log.ts'
import type { Environment } from '../../host/config/paths.ts'
import { openDebugSink } from '../../host/process/debug-sink.ts'
import { findRuntime } from '../catalogue.ts'
import type { SilenceReason } from '../events/answer.ts'
import { runningMs } from '../events/process-budget.ts'
import type { HookEvent } from '../events/event.ts'
import type { DaemonRequest } from './link.ts'

/** Requests that are named; a waiter asks for hours. */
const MAX_ASKED = 20

/** How a hook ended. */
export type HookEnd =
  | { readonly said: readonly ('context' | 'denial' | 'continuation')[] }
  | { readonly silent: SilenceReason }
  | { readonly error: unknown }

export class HookTrace {
  readonly #debug: Debug
  readonly #asked: string[] = []
  #head: LogFields
  #hasEnded = false

  /** @param kind - `event`, or which waiter it is */
  constructor(debug: Debug, runtime: string | undefined, kind: 'event' | 'rewake' | 'deliver') {
    this.#debug = debug
    this.#head = { runtime: findRuntime(runtime)?.id, kind }
  }

  /** What the runtime said; of the payload only what it is called. */
  of({ runtime, name }: HookEvent): void {
    this.#head = { ...this.#head, runtime: runtime.id, event: name }
  }

  /** @param status - undefined when no whole answer came */
  readonly asked = ({ method, path }: DaemonRequest, status: number | undefined): void => {
    if (this.#asked.length < MAX_ASKED)
      this.#asked.push(`${method} ${routeOf(path)} ${status ?? 'unanswered'}`)
  }

  /** A try to wake an idle session; a line of its own. */
  woke(fields: { driver: string | undefined; tries: number; isTaken: boolean; isSeen?: boolean }): void {
    this.#debug('wake', { runtime: this.#head['runtime'], ...fields })
  }

  /** Told once: what comes first is how it ended. */
  ended(end: HookEnd): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#debug('hook', {
      ...this.#head,
      ms: Math.round(runningMs()),
      asked: this.#asked.join(', ') || undefined,
      ...endFields(end),
    })
  }
}

/** Filters and scopes stand in the query, and ids in the path behind a resource: the words before them are ours. */
function routeOf(path: string): string {
  const [, version, resource, ...rest] = path.replace(/\?.*$/, '').split('/')
  const isOurs = resource === 'inbox' || resource === 'verbs'
  const tail = rest.length === 0 ? '' : `/${isOurs ? rest.join('/') : '…'}`
  return `/${version}/${resource}${tail}`
}

function endFields(end: HookEnd): LogFields {
  if ('error' in end) return { silent: 'error', ...errorFields(end.error) }
  return 'said' in end ? { said: end.said.join(', ') } : { silent: end.silent }
}

/** @returns undefined when nobody asked */
export function openHookTrace(
  environment: Environment,
  runtime: string | undefined,
  option: string | undefined,
): HookTrace | undefined {
  const kind = option === '--wait' ? 'rewake' : option === '--deliver' ? 'deliver' : 'event'
  // What such a hook writes to stderr is what the session is woken with.
  if (kind === 'rewake' && environment.env['AGENTD_DEBUG'] === '-') return undefined
  const debug = openDebugSink({ environment, nowMs: () => Date.now() })
  return debug && new HookTrace(debug, runtime, kind)
}
