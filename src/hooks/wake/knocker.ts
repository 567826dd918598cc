/**
 * Waking idle sessions for what is urgent: by answering whoever waits on the session's behalf, or by knocking at the door
 * its runtime has told of.
 *
 * Each session has a door of its own, and a slow one delays no other. What is not urgent waits for the next turn, and
 * delays nothing either (OP-07, OP-26).
 *
 * @see PD-01, PD-02; docs/runtimes.md §§1.5, 1.6, 2.3, 5.3
 */
import type { Retained } from '../../broker/ring/retained.ts'
import type { Timer } from '../../core/clock.ts'
import type { Debug } from '../../core/debug.ts'
import type { HookReply } from '../../protocol/http/hook-exchange.ts'
import { findRuntime } from '../../runtimes/catalogue.ts'
import { REWAKE, wakeDriver } from '../../runtimes/events/wake-channels.ts'
import { keyOf, type HookState } from '../memory/hook-state.ts'
import type { Hooks, OwnSession } from '../session/context.ts'
import { findInterrupts, mayInterrupt } from '../session/waiting.ts'
import { declareWay, hasMail, isGone, liveSession } from './declared.ts'
import { Door } from './door.ts'
import { knock } from './knock.ts'
import { restOf } from './rest.ts'
import { RHYTHM, type Rhythm } from './rhythm.ts'
import { wakeReply } from './wake-reply.ts'

/** Told once with what to wake the session with; undefined when nothing is left to wait for. */
type Tell = (reply: HookReply | undefined) => void

export class Knocker {
  readonly #hooks: Hooks
  readonly #debug: Debug | undefined
  readonly #rhythm: Rhythm
  readonly #doors = new Map<string, Door>()
  readonly #ignore: () => void
  #look: Timer | undefined
  #rounds: Timer | undefined
  #isClosed = false

  constructor(
    hooks: Hooks,
    { debug, rhythm = RHYTHM }: { readonly debug?: Debug | undefined; readonly rhythm?: Rhythm | undefined },
  ) {
    this.#hooks = hooks
    this.#debug = debug
    this.#rhythm = rhythm
    this.#ignore = hooks.broker.observe((retained) => this.#passing(retained))
    this.#goRound()
  }

  /** An event of the session was dealt with. */
  heard(key: string): void {
    const door = this.#doors.get(key)
    door?.heard()
    const state = this.#hooks.memory.read(key)
    if (state === undefined || state.endedMs !== undefined) return this.#shut(key)
    if (door?.waiter !== undefined) return this.#attend(key)
    if (!state.isBusy) this.#expectWaiter(key)
    this.#check(key)
  }

  /** See `HookDesk.wait`. */
  wait(key: string, tell: Tell): () => void {
    // The daemon says itself that it goes.
    if (this.#isClosed) return () => {}
    const door = this.#door(key)
    // The one that waits goes on waiting; the runtime arms another one after each turn.
    if (door.waiter !== undefined) {
      tell(undefined)
      return () => {}
    }
    const waiter = { tell }
    door.waiter = waiter
    this.#hooks.waiting.add(key)
    const leave = (): void => {
      if (door.waiter === waiter) this.#leave(key, door)
    }
    if (liveSession(this.#hooks, key) === undefined)
      // Both hooks of one start run at once: the one that registers may not be done.
      door.schedule(this.#hooks.clock, this.#rhythm.registrationMs, () => this.#giveUpUnknown(key))
    else this.#attend(key)
    return leave
  }

  /** What a daemon before this one declared of its sessions is made true again. */
  resume(): void {
    for (const state of this.#hooks.memory.list()) {
      const own = liveSession(this.#hooks, keyOf(state))
      if (own === undefined) continue
      declareWay(this.#hooks, own)
      this.#check(keyOf(state))
    }
  }

  /** Leaves every wait: the daemon goes, and says so itself. Something may still be waited for with the next one. */
  close(): void {
    this.#isClosed = true
    this.#ignore()
    this.#look?.cancel()
    this.#rounds?.cancel()
    for (const door of this.#doors.values()) {
      door.waiter = undefined
      door.shut()
    }
  }

  /** A session began: the one that it carries on, if any, is over. */
  sessionBegan(): void {
    for (const key of this.#doors.keys()) {
      const state = this.#hooks.memory.read(key)
      const isAwaited = state === undefined && this.#doors.get(key)?.waiter !== undefined
      if (!isAwaited && (state === undefined || state.endedMs !== undefined)) this.#shut(key)
    }
  }

  /** Whoever waits on behalf of a program that was killed, or of a session that was ended, is told to go. */
  #goRound(): void {
    this.#rounds = this.#hooks.clock.after(this.#rhythm.roundMs, () => {
      for (const [key, door] of this.#doors) {
        const own = liveSession(this.#hooks, key)
        if (own === undefined) this.#dismiss(key)
        else if (door.waiter !== undefined && isGone(this.#hooks, own.state)) this.#tell(key, door, undefined)
      }
      this.#goRound()
    })
  }

  #passing(retained: Retained): void {
    if (this.#look !== undefined || !mayInterrupt(this.#hooks.broker, retained)) return
    // What has just been accepted is in its mailboxes at the end of the turn.
    this.#look = this.#hooks.clock.after(0, () => {
      this.#look = undefined
      for (const state of this.#hooks.memory.list()) if (state.token !== undefined) this.#check(keyOf(state))
    })
  }

  /** Wakes the session, when something urgent waits, it is idle, and it may be woken now; otherwise looks again in time. */
  #check(key: string): void {
    // So it is behind most events; whether a process lives is only asked where that matters.
    if (this.#doors.get(key)?.waiter === undefined && !hasMail(this.#hooks, key)) return
    const own = liveSession(this.#hooks, key)
    if (own === undefined) return this.#dismiss(key)
    const { state } = own
    const door = this.#door(key)
    if (door.waiter !== undefined && state.isHeadless === true) return this.#tell(key, door, undefined)
    if (door.isKnocking || !this.#hasWay(state, door)) return
    const urgent = door.untried(findInterrupts(this.#hooks, own.session))
    if (urgent.length === 0) return
    const { clock, settings } = this.#hooks
    const restMs = restOf(state, { nowMs: clock.nowMs(), rhythm: this.#rhythm, settings: settings.get() })
    if (restMs > 0) return door.schedule(clock, restMs, () => this.#check(key))
    // Of a program that was killed nobody says that it is over; what it left behind must not be told (OP-27).
    if (isGone(this.#hooks, state)) return this.#tell(key, door, undefined)
    if (door.waiter === undefined) void this.#knock(key, door, urgent)
    else this.#wake(key, door, own)
  }

  #hasWay(state: HookState, door: Door): boolean {
    if (!this.#hooks.settings.get().wakesIdle) return false
    const runtime = findRuntime(state.runtime)
    return (
      door.waiter !== undefined ||
      (runtime !== undefined && wakeDriver(runtime, state.wakeChannels) !== undefined)
    )
  }

  /** Answers whoever waits on its behalf. */
  #wake(key: string, door: Door, own: OwnSession): void {
    const reply = wakeReply(this.#hooks, key, own)
    if (reply === undefined) return
    this.#debug?.('wake', { runtime: own.state.runtime, driver: REWAKE, tries: 1, isTaken: true })
    this.#tell(key, door, reply)
  }

  /** Nothing waits for it: a slow door is one session's. */
  async #knock(key: string, door: Door, urgent: readonly Retained[]): Promise<void> {
    door.isKnocking = true
    const isHeard = await knock(this.#hooks, { key, door, urgent, rhythm: this.#rhythm, debug: this.#debug })
    door.isKnocking = false
    if (!isHeard) door.leaveAlone(urgent)
    if (!door.isShut) this.#check(key)
  }

  /** Somebody waits on behalf of a session that is there. */
  #attend(key: string): void {
    const own = liveSession(this.#hooks, key)
    const door = this.#door(key)
    if (own === undefined || own.state.isHeadless === true) return this.#tell(key, door, undefined)
    declareWay(this.#hooks, own)
    this.#check(key)
  }

  #giveUpUnknown(key: string): void {
    const door = this.#door(key)
    if (liveSession(this.#hooks, key) === undefined) this.#tell(key, door, undefined)
    else this.#attend(key)
  }

  /** The session is over, and whoever waits for it goes; one that is not there yet is waited for. */
  #dismiss(key: string): void {
    const door = this.#doors.get(key)
    if (door !== undefined && this.#hooks.memory.read(key)?.token !== undefined)
      this.#tell(key, door, undefined)
  }

  #tell(key: string, door: Door, reply: HookReply | undefined): void {
    const { waiter } = door
    if (waiter === undefined) return
    door.waiter = undefined
    this.#hooks.waiting.delete(key)
    waiter.tell(reply)
  }

  /** Nobody waits any longer, and the roster says so; a door may be left. */
  #leave(key: string, door: Door): void {
    door.waiter = undefined
    this.#hooks.waiting.delete(key)
    const own = liveSession(this.#hooks, key)
    if (own === undefined) return
    declareWay(this.#hooks, own)
    this.#check(key)
  }

  /** The runtime arms another waiter behind a turn; where it does not, the roster says so. */
  #expectWaiter(key: string): void {
    const { clock, waiting } = this.#hooks
    const own = liveSession(this.#hooks, key)
    if (own === undefined || waiting.has(key) || own.session.facts.delivery?.idle !== REWAKE) return
    clock.after(this.#rhythm.armedMs, () => {
      const now = liveSession(this.#hooks, key)
      if (now !== undefined && !now.state.isBusy) declareWay(this.#hooks, now)
    })
  }

  #door(key: string): Door {
    const door = this.#doors.get(key) ?? new Door()
    this.#doors.set(key, door)
    return door
  }

  #shut(key: string): void {
    const door = this.#doors.get(key)
    if (door === undefined) return
    this.#doors.delete(key)
    this.#tell(key, door, undefined)
    door.shut()
  }
}
