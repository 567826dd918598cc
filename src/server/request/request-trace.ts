/**
 * One line about one request, for who looks inside (`AGENTD_DEBUG`): its route, not its path; its caller's kind, not
 * its token.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { errorFields, type Debug } from '../../core/debug.ts'
import type { LogFields } from '../../core/log.ts'
import type { Caller } from '../../broker/session/caller.ts'
import type { Clock } from '../../core/clock.ts'
import type { RouteName } from '../../protocol/routes/routes.ts'
import type { Match } from './router.ts'

/** What a trace is made from. */
export interface RequestTraceParts {
  readonly debug: Debug
  readonly clock: Clock
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

export class RequestTrace {
  #route: RouteName | 'none' = 'none'
  #caller: 'principal' | 'session' | 'visitor' | 'unknown' = 'unknown'
  #failure: LogFields = {}

  /** Tells when the response is over, however that came about. */
  constructor({ debug, clock, request, response }: RequestTraceParts) {
    const startedMs = clock.monotonicMs()
    response.once('close', () => {
      debug('request', {
        // Node's parser knows no method beyond those of the registry.
        method: request.method,
        route: this.#route,
        status: response.headersSent ? response.statusCode : undefined,
        ms: Math.round(clock.monotonicMs() - startedMs),
        caller: this.#caller,
        isCut: response.writableFinished ? undefined : true,
        ...this.#failure,
      })
    })
  }

  matched({ name }: Match): void {
    this.#route = name
  }

  calledBy({ session }: Caller): void {
    this.#caller = session === undefined ? 'principal' : session.isVisitor ? 'visitor' : 'session'
  }

  failed(error: unknown): void {
    this.#failure = errorFields(error)
  }
}
