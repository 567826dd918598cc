/**
 * Where the hooks of all runtimes come in: from the octets a runtime sends to the octets it gets.
 *
 * @see docs/http.md §12; docs/runtimes.md §10; OP-01
 */
import { errorFields, type Debug } from '../core/debug.ts'
import { leaseKey } from '../protocol/board/lease-key.ts'
import type { HookCall, HookReply } from '../protocol/http/hook-exchange.ts'
import type { HookStatusReply } from '../protocol/routes/hook-routes.ts'
import type { Environment } from '../host/config/paths.ts'
import { processStartTimes } from '../host/process/processes.ts'
import { poolThreads } from '../host/process/threads.ts'
import { RUNTIMES, EVENT_NAMES, findRuntime } from '../runtimes/catalogue.ts'
import type { HookAnswer } from '../runtimes/events/answer.ts'
import { readEvent, sessionIdOf, type HookEvent } from '../runtimes/events/event.ts'
import type { EventMembers } from '../runtimes/events/members.ts'
import { findOrigin } from '../runtimes/events/origin.ts'
import { renderAnswer } from '../runtimes/events/render.ts'
import { act } from './answer/act.ts'
import { LiveBoard } from './board/live-board.ts'
import type { HookDeskParts, HookedSession } from './desk-parts.ts'
import { Load } from './load.ts'
import { HookMemory } from './memory/hook-memory.ts'
import { stateKey } from './memory/hook-state.ts'
import { readOldFiles, removeOldFiles } from './memory/old-files.ts'
import { parsePayload } from './payload.ts'
import { openObserver } from './open-observer.ts'
import { Places } from './places/places.ts'
import { HookContext, type Hooks } from './session/context.ts'
import { ForeignItems } from './session/foreign.ts'
import { HookSettingsFile } from './session/settings.ts'
import { readSurroundings } from './session/surroundings.ts'
import { endOf, traceEvent, type HookEnd } from './trace.ts'
import { Turns } from './turns.ts'
import { Knocker } from './wake/knocker.ts'

/** How long an event may take to be answered, in milliseconds; what waited goes on waiting (OP-01). */
export const ANSWER_MS = 300

/** Answers hooks, and wakes idle sessions. */
export class HookDesk {
  /** For whoever else puts what was sent into a model's context (FED-64). */
  readonly foreign: ForeignItems
  readonly #hooks: Hooks
  readonly #debug: Debug | undefined
  readonly #turns = new Turns()
  readonly #load: Load
  readonly #knocker: Knocker

  constructor(parts: HookDeskParts) {
    const { broker, clock, debug, environment, files, records, rhythm, socketPath } = parts
    const memory = new HookMemory(records, clock)
    memory.adopt(readOldFiles(socketPath, environment.uid))
    removeOldFiles(socketPath)
    const places = new Places({ clock, files, threads: poolThreads(environment) })
    this.#hooks = {
      broker,
      clock,
      environment,
      memory,
      observer: openObserver({ broker, clock, environment, memory, places }),
      settings: new HookSettingsFile(environment, clock),
      board: new LiveBoard({
        broker,
        clock,
        carriesOn: (address, before) => memory.carriesOn(address, before),
      }),
      places,
      startTimeOf: processStartTimes(),
      waiting: new Set(),
      steps: new WeakMap(),
      proven: new WeakMap(),
    }
    this.foreign = new ForeignItems(this.#hooks)
    this.#debug = debug
    this.#load = new Load(clock)
    this.#knocker = new Knocker(this.#hooks, { debug, rhythm })
  }

  /** Whether it is the id of a runtime. */
  knows(runtime: string): boolean {
    return findRuntime(runtime) !== undefined
  }

  /**
   * @returns undefined when there is nothing to print
   * @throws AgentdError `field-invalid` for what is no JSON
   */
  async answer(call: HookCall): Promise<HookReply | undefined> {
    const atMs = this.#hooks.clock.monotonicMs()
    let context: HookContext | undefined
    const end = (ended: HookEnd): void => {
      const ms = this.#hooks.clock.monotonicMs() - atMs
      traceEvent(this.#debug, context?.event, { end: ended, ms, hint: call.runtime })
    }
    if (!this.#load.take(call.payload.length)) {
      end({ silent: 'busy' })
      return undefined
    }
    try {
      context = this.#read(call)
    } finally {
      if (context === undefined) end({ silent: 'not-understood' })
    }
    return context === undefined ? undefined : this.#answerInTime(context, end)
  }

  #answerInTime(context: HookContext, end: (ended: HookEnd) => void): Promise<HookReply | undefined> {
    return new Promise((resolve) => {
      const timer = this.#hooks.clock.after(ANSWER_MS, () => give(undefined, { silent: 'out-of-time' }))
      let isOpen = true
      const give = (reply: HookReply | undefined, ended: HookEnd): boolean => {
        if (!isOpen) return false
        isOpen = false
        timer.cancel()
        end(ended)
        resolve(reply)
        return true
      }
      const isTaken = this.#turns.take(context.key, () => this.#serve(context, give))
      if (!isTaken) give(undefined, { silent: 'busy' })
    })
  }

  /**
   * Waits for something urgent on behalf of an idle session.
   *
   * @param answer - called once, with what the session is to be woken with, or with undefined when nothing is left to
   *   wait for
   * @returns a function that gives the wait up
   */
  wait(runtime: string, sessionId: string, answer: (reply: HookReply | undefined) => void): () => void {
    return this.#knocker.wait(stateKey(runtime, sessionId), answer)
  }

  /** The session that hooks have registered under an id, or the one that carries it on; undefined when none has. */
  hooked(runtime: string, sessionId: string): HookedSession | undefined {
    const { address, formers = [], token } = this.#hooks.memory.find(runtime, sessionId) ?? {}
    if (token === undefined || address === undefined) return undefined
    return {
      token,
      address,
      leaseKeys: () =>
        this.#hooks.board
          .leasesOf(new Set([address, ...formers]))
          .map(({ leaseId = '', from }) => leaseKey(leaseId, from)),
    }
  }

  /** Ids of the sessions that hooks have registered and that live in one of some processes. */
  hookedIn(runtime: string, isThere: (pid: number) => boolean): readonly string[] {
    return this.#hooks.memory.livingIn(runtime, isThere)
  }

  /** What is known of a runtime's hooks, and of the session of an id. */
  status(runtime: string, sessionId: string | undefined): HookStatusReply {
    const states = [...this.#hooks.memory.list()].filter((state) => state.runtime === runtime)
    const lastHeardMs = Math.max(0, ...states.map(({ atMs }) => atMs))
    const { address, token } = (sessionId === undefined ? undefined : this.hooked(runtime, sessionId)) ?? {}
    return {
      last_heard_at: lastHeardMs === 0 ? null : new Date(lastHeardMs).toISOString(),
      sessions: states.filter((state) => state.token !== undefined).length,
      session: address === undefined || token === undefined ? null : { address, token },
    }
  }

  /** Whether the session of one address carries on that of another. */
  carriesOn(address: string, predecessor: string): boolean {
    return this.#hooks.memory.carriesOn(address, predecessor)
  }

  /** Sees to sessions that a daemon before this one knew: idle ones can be woken again (OP-26). */
  resume(): void {
    this.#knocker.resume()
  }

  /** Ends every wait, and writes down what is not. */
  close(): void {
    this.#knocker.close()
    this.#hooks.board.close()
    this.#hooks.memory.close()
  }

  /** @throws AgentdError `field-invalid` for what is no JSON */
  #read({ runtime, payload, surroundings: header, peerPid }: HookCall): HookContext | undefined {
    const members = parsePayload(payload)
    if (members === undefined) return undefined
    const surroundings = readSurroundings(header, peerPid)
    const origin = this.#originOf(members, runtime, surroundings.env)
    const event = origin && readEvent(members, origin, EVENT_NAMES)
    return event && new HookContext(this.#hooks, event, surroundings)
  }

  /** Who registered a session has said whose it is: its later events come without a variable to tell it. */
  #originOf(
    members: EventMembers,
    runtime: string,
    env: Environment['env'],
  ): HookEvent['runtime'] | undefined {
    const id = sessionIdOf(members)
    const known = id === undefined ? undefined : this.#hooks.memory.findLive(runtime, id)
    const hint = findRuntime(known?.runtime) ?? findRuntime(runtime)
    return findOrigin(members, { runtimes: RUNTIMES, hint, env })
  }

  /** Over when the answer was written or given up: the next event of the session must not show the same again. */
  async #serve(context: HookContext, give: Give): Promise<void> {
    const { event, key } = context
    try {
      const answer = await act(context)
      const text = textOf(event, answer)
      if (text === undefined) give(undefined, endOf(answer, false))
      else await this.#hand(answer, text, give)
    } catch (error) {
      give(undefined, { error })
    }
    try {
      this.#knocker.heard(key)
      if (event.name === 'session-start') this.#knocker.sessionBegan()
    } catch (error) {
      // The event was answered; the next one of the session is dealt with all the same.
      this.#debug?.('wake', { runtime: event.runtime.id, ...errorFields(error) })
    }
  }

  #hand(answer: HookAnswer, text: string, give: Give): Promise<void> {
    return new Promise((resolve) => {
      const reply = {
        text,
        written: () => {
          answer.settle?.()
          resolve()
        },
        givenUp: () => resolve(),
      }
      if (!give(reply, endOf(answer, true))) resolve()
    })
  }
}

/** @returns false when it is too late */
type Give = (reply: HookReply | undefined, end: HookEnd) => boolean

/** One line of JSON; undefined for nothing, and for what this runtime has no words for. */
function textOf(event: HookEvent, answer: HookAnswer): string | undefined {
  const output = renderAnswer(event, answer)
  return output === undefined ? undefined : `${JSON.stringify(output)}\n`
}
