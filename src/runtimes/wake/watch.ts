/**
 * Waiting, on behalf of an idle session, for something that may wake it.
 *
 * In bounded rounds: each asks again whether the session is still there, its process still runs, and whether
 * this is still the one that waits. It ends with the session, with the process, or with the daemon.
 *
 * @see PD-02
 */
import { watch, type FSWatcher } from 'node:fs'
import { HookStore } from '../memory/hook-store.ts'
import type { HookState, Waiter } from '../memory/hook-state.ts'
import { processStartTime } from '../../host/process/processes.ts'
import { isSessionLost, SessionLost, type HookPlace } from '../session/context.ts'
import { peekItems } from '../session/inbox.ts'
import { findInterrupts } from './interrupts.ts'
import { DaemonLink, Unreached } from '../session/link.ts'
import { numberOf, textMember, type EventMembers } from '../events/members.ts'
import { hasBudget } from '../session/noise.ts'
import { readHookSettings } from '../session/settings.ts'

/** How long things take; a value, so that a test need not wait for them. */
export interface Rhythm {
  /** One long poll. */
  readonly roundMs: number
  /** Between two looks at a session that is busy, or that has not registered yet. */
  readonly lookMs: number
  /** Between two looks at a mailbox that holds only what may wait: the least and the most. */
  readonly leastMs: number
  readonly mostMs: number
  /** A turn of which nothing was heard for so long is taken to be over; an interrupted one ends without a hook. */
  readonly busyMs: number
  /** How long a session that is not there yet is waited for. */
  readonly registrationMs: number
  /** How long a wake has to show in the mailbox before it is tried again. */
  readonly seenMs: number
  /** The same for Codex, which looks at its queue only about every ten seconds. */
  readonly queueSeenMs: number
  readonly pause: (ms: number) => Promise<void>
}

/** As it is outside of tests. */
export const RHYTHM: Rhythm = {
  roundMs: 30_000,
  lookMs: 1_000,
  leastMs: 250,
  mostMs: 5_000,
  busyMs: 120_000,
  registrationMs: 10_000,
  seenMs: 10_000,
  queueSeenMs: 25_000,
  pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
}

/** How much later than asked for an answer may come. */
const SILENCE_MS = 10_000

/** Something urgent waits for an idle session. */
export interface Interruption {
  readonly fileName: string
  readonly state: HookState
  readonly token: string
  /** The urgent ones among what waits. */
  readonly items: readonly EventMembers[]
}

/** One process that waits. */
export class Watch {
  readonly rhythm: Rhythm
  readonly store: HookStore
  readonly #place: HookPlace
  readonly #kind: Waiter['kind']
  /** Urgent items that could not be got across; they are left to the next turn. */
  readonly #leftAlone = new Set<string>()
  #fileName: string
  #pauseMs: number

  constructor(
    place: HookPlace,
    session: { readonly fileName: string; readonly kind: Waiter['kind']; readonly rhythm?: Rhythm },
  ) {
    this.rhythm = session.rhythm ?? RHYTHM
    this.store = new HookStore(place.environment, place.socketPath)
    this.#place = place
    this.#kind = session.kind
    this.#fileName = session.fileName
    this.#pauseMs = this.rhythm.leastMs
  }

  /**
   * Takes the one place there is: from the dead, and as the runtime's own waiter from ours. First of all.
   *
   * @returns false when somebody else has it, or there is no session
   */
  async enter(): Promise<boolean> {
    for (let waitedMs = 0; ; waitedMs += this.rhythm.lookMs) {
      const state = this.#current()
      if (state?.token !== undefined) break
      // Both hooks of one start run at once: the one that registers may not be done.
      if (waitedMs >= this.rhythm.registrationMs) return false
      await this.rhythm.pause(this.rhythm.lookMs)
    }
    const own: Waiter = { pid: process.pid, kind: this.#kind }
    const state = this.store.update(this.#fileName, (current) => {
      if (current === undefined || !this.#mayEnter(current.waiter)) return undefined
      return { ...current, waiter: own }
    })
    return state !== undefined && this.#isMine(state)
  }

  /** @returns undefined when there is nothing left to wait for, or somebody else waits */
  async next(): Promise<Interruption | undefined> {
    for (;;) {
      const state = this.#current()
      const token = state?.token
      if (state === undefined || token === undefined || !this.#isMine(state)) return undefined
      try {
        const found = await this.#round(state, token)
        if (found !== undefined) return found
      } catch (error) {
        if (error instanceof Unreached || error instanceof Over) return undefined
        if (!isSessionLost(error)) throw error
        // A hook may have registered the session anew; the next round has its new token.
        if (this.#current()?.token === token) return undefined
      }
    }
  }

  /** These are not tried again. */
  leaveAlone(items: readonly EventMembers[]): void {
    for (const item of items) this.#leftAlone.add(textMember(item, 'event_id') ?? '')
  }

  /** The session's token by now; undefined when the session is over. */
  token(): string | undefined {
    return this.#current()?.token
  }

  /** What waits now, without a digest. @throws Unreached, SessionLost */
  async look(token: string): Promise<readonly EventMembers[]> {
    const link = new DaemonLink(this.#place.socketPath, this.#place.trace?.asked)
    try {
      return await peekItems(link, token)
    } finally {
      link.close()
    }
  }

  /** The session, or whoever carries it on; undefined when it is over. */
  #current(): HookState | undefined {
    const known = this.store.read(this.#fileName)
    const state = known?.heir === undefined ? known : this.store.find(known.runtime, known.heir)
    if (state === undefined || state.endedMs !== undefined) return undefined
    if (state.pid !== undefined && processStartTime(state.pid) !== state.pidStart) return undefined
    this.#fileName = HookStore.fileName(state.runtime, state.sessionId)
    return state
  }

  #mayEnter(waiter: Waiter | undefined): boolean {
    if (waiter === undefined || waiter.pid === process.pid) return true
    if (processStartTime(waiter.pid) === undefined) return true
    return this.#kind === 'rewake' && waiter.kind === 'detached'
  }

  #isMine({ waiter }: HookState): boolean {
    return waiter?.pid === process.pid && waiter.kind === this.#kind
  }

  async #round(state: HookState, token: string): Promise<Interruption | undefined> {
    const link = new DaemonLink(this.#place.socketPath, this.#place.trace?.asked)
    const change = this.#onEnd(() => link.close())
    // A daemon that was stopped answers nothing, for ever.
    const silence = setTimeout(() => link.close(), this.rhythm.roundMs + SILENCE_MS)
    try {
      const unread = await this.#poll(link, token)
      if (unread === 0) {
        this.#pauseMs = this.rhythm.leastMs
        return undefined
      }
      const items = await this.#urgent(link, token)
      const now = this.#current()
      if (now === undefined) throw new Over()
      if (items.length > 0 && !this.#isBusy(now) && this.#isMine(now) && this.#mayWake(now)) {
        return { fileName: this.#fileName, state: now, token, items }
      }
    } finally {
      clearTimeout(silence)
      change?.close()
      link.close()
    }
    // Something waits that may go on waiting; a long poll would answer at once, again and again.
    await this.rhythm.pause(this.#isBusy(state) ? this.rhythm.lookMs : this.#pauseMs)
    this.#pauseMs = Math.min(this.rhythm.mostMs, this.#pauseMs * 2)
    return undefined
  }

  /** Calls back when a hook has written that the session is over, or that somebody else waits. */
  #onEnd(done: () => void): FSWatcher | undefined {
    try {
      const watcher = watch(this.store.directory, (_, name) => {
        if (name !== this.#fileName) return
        const state = this.#current()
        if (state === undefined || !this.#isMine(state)) done()
      })
      // Without it, the end of the round tells.
      watcher.on('error', () => watcher.close())
      return watcher
    } catch {
      return undefined
    }
  }

  async #poll(link: DaemonLink, token: string): Promise<number> {
    const path = `/v1/inbox/wait?timeout_ms=${this.rhythm.roundMs}`
    const { status, body } = await link.send({ method: 'GET', path, token })
    if (status === 401) throw new SessionLost()
    if (status !== 200) throw new Over()
    return numberOf(body, 'unread') ?? 0
  }

  async #urgent(link: DaemonLink, token: string): Promise<readonly EventMembers[]> {
    const items = await findInterrupts(link, token, await peekItems(link, token))
    return items.filter((item) => !this.#leftAlone.has(textMember(item, 'event_id') ?? ''))
  }

  #isBusy({ isBusy, atMs }: HookState): boolean {
    return isBusy && Date.now() - atMs < this.rhythm.busyMs
  }

  #mayWake({ wakes }: HookState): boolean {
    const settings = readHookSettings(this.#place.environment)
    return settings.wakesIdle && hasBudget(wakes, { nowMs: Date.now(), settings })
  }
}

/** The session is over. */
class Over extends Error {}
