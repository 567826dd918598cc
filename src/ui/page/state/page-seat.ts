/**
 * The seat of one page: what it knows as signals, where the person is on it, and how it asks the daemon.
 *
 * @see SEAT-19, SEAT-20, SEAT-23
 */
import { batch, signal, type Signal } from '@preact/signals'
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import { systemClock } from '../../../core/clock.ts'
import type { Seat } from '../../seat/needs/answers.ts'
import type { CallOutcome } from '../../seat/outcome.ts'
import { SeatModel } from '../../seat/seat-model.ts'
import { Door, type DoorCall, type SeatFacts } from '../link/door.ts'
import { Watching } from '../link/watching.ts'
import { titleWords } from '../../seat/alerts/alert-words.ts'
import { Announcer } from './announcer.ts'
import { isVisible } from './is-visible.ts'
import { Notifier } from './notifier.ts'
import { Painter } from './painter.ts'
import { Seen } from './seen.ts'
import { configuredSingleKeys } from './single-keys.ts'

/** The screens. */
export type Screen = 'now' | 'passing' | 'threads'

/** What somebody begins to write. */
export interface Composing {
  readonly verb: 'send' | 'ask' | 'hand-over'
  /** A scope, or what a session is called; '' for nobody yet. */
  readonly to: string
}

/** What stands beside or over a screen. */
export type Panel =
  | { readonly name: 'session'; readonly address: string }
  | { readonly name: 'compose'; readonly composing: Composing }
  | { readonly name: 'help' }

/** A part of the model that is drawn by itself. */
export type Part = keyof SeatModel['versions']

const PARTS = ['rows', 'needs', 'here', 'receipts', 'threads', 'link'] as const satisfies readonly Part[]

const SECOND_MS = 1_000

/** One page. */
export class PageSeat {
  readonly model = new SeatModel(systemClock)
  readonly announcer = new Announcer()
  readonly seen = new Seen((eventIds) => {
    void this.call({ method: 'POST', path: '/v1/seen', body: { event_ids: eventIds, via: 'stream' } })
  })
  readonly facts: Signal<SeatFacts | undefined> = signal(undefined)
  readonly screen: Signal<Screen> = signal('now')
  readonly panel: Signal<Panel | undefined> = signal(undefined)
  /** The event whose detail is open on the screen of what passes. */
  readonly openItem: Signal<string | undefined> = signal(undefined)
  /** The workflow that is open on the screen of threads, by its corr. */
  readonly openThread: Signal<string | undefined> = signal(undefined)
  /** Wall time, once a second while the page is visible. */
  readonly nowMs: Signal<number> = signal(Date.now())
  /** Whether agentd was updated since the page was loaded. */
  readonly isOutdated: Signal<boolean> = signal(false)
  readonly notifier = new Notifier(this.model, () => {
    this.panel.value = undefined
    this.screen.value = 'now'
  })
  /** Of each part of the model as it is drawn. */
  readonly #painted = new Map<Part, Signal<number>>(PARTS.map((part) => [part, signal(0)]))
  readonly #door = new Door()
  readonly #painter = new Painter(() => this.#paint())
  readonly #watching: Watching
  #version = ''
  #needsTold = 0

  constructor() {
    this.#watching = new Watching({
      door: this.#door,
      model: this.model,
      onNews: (items) => {
        this.#painter.ask(items)
        this.#tellOfNeeds()
      },
      onBegin: (version) => {
        this.#noticeVersion(version)
        this.#tellVisible()
      },
    })
  }

  /** A number that grows when a part is to be drawn anew; whoever reads it while it is drawn is drawn with it. */
  paintedOf(part: Part): number | undefined {
    return this.#painted.get(part)?.value
  }

  /** Signs in and watches until it is over. */
  async start(): Promise<void> {
    this.#tick()
    const entry = await this.#door.enter()
    if (entry.kind === 'out') {
      this.model.setLink('over', entry.code)
      this.#painter.ask(0)
      return
    }
    this.facts.value = entry.facts
    configuredSingleKeys.value = entry.facts.hasSingleKeys
    await this.#watching.watch()
  }

  /** Takes the place of the page that was connected first (SEAT-26). */
  async useItHere(): Promise<void> {
    this.model.setLink('connecting')
    this.#painter.ask(0)
    await this.#watching.watch(true)
  }

  /** Asks once. A page that is signed out says so, whatever it was asked for. */
  async call(request: DoorCall): Promise<CallOutcome> {
    const outcome = await this.#door.call(request)
    if (outcome.kind === 'refused' && outcome.code === 'signed-out') this.#leave()
    return outcome
  }

  /** Ends the token, and leaves nothing of what was here: neither rows nor drafts. */
  async signOut(): Promise<void> {
    const { kind } = await this.call({ method: 'POST', path: '/logout', body: {} })
    this.#leave()
    // Of a process that does not answer the browser would show nothing but its own words.
    if (kind === 'done') location.reload()
  }

  /** Opens the panel for something of the person's own. */
  compose(verb: Composing['verb'], to = ''): void {
    this.panel.value = { name: 'compose', composing: { verb, to } }
  }

  /** Who speaks, for what answers an envelope. */
  asSeat(): Seat {
    const entity = this.facts.value?.entity ?? ''
    return { entity, newId: () => crypto.randomUUID(), nowMs: () => Date.now() }
  }

  #leave(): void {
    this.#door.forget()
    this.model.setLink('over', 'signed-out')
    this.#painter.ask(0)
  }

  /** Where the system alone tells the person, it is silent as long as they see a page (SEAT-43). */
  #tellVisible(): void {
    if (this.facts.value?.notify === 'system')
      void this.call({ method: 'POST', path: '/visible', body: { visible: isVisible() } })
  }

  /** Not with what is drawn: a browser draws nothing on a page that is hidden. */
  #tellOfNeeds(): void {
    if (this.model.versions.needs !== this.#needsTold) document.title = titleWords(countYours(this.model))
    this.#needsTold = this.model.versions.needs
    if (this.facts.value?.isNotifying === true) this.notifier.look()
  }

  #paint(): void {
    batch(() => {
      for (const [part, painted] of this.#painted) painted.value = this.model.versions[part]
    })
  }

  #noticeVersion(version: string): void {
    if (this.#version !== '' && version !== '' && version !== this.#version) this.isOutdated.value = true
    if (version !== '') this.#version = version
  }

  /** A page that nobody sees does nothing (SEAT-37). */
  #tick(): void {
    setInterval(() => {
      if (!isVisible()) return
      this.nowMs.value = Date.now()
      this.#tellOfNeeds()
    }, SECOND_MS)
    document.addEventListener('visibilitychange', () => {
      this.nowMs.value = Date.now()
      this.#tellVisible()
    })
  }
}

const Context = createContext<PageSeat | undefined>(undefined)

/** Hands the seat to everything below it. */
export const SeatProvider = Context.Provider

/** The seat of this page. @throws Error outside of {@link SeatProvider} */
export function useSeat(): PageSeat {
  const seat = useContext(Context)
  if (seat === undefined) throw new Error('this is not drawn within a seat')
  return seat
}

/** How many needs are for the person alone. */
export function countYours(model: SeatModel): number {
  return model.needs().filter(({ addressed }) => addressed === 'you').length
}
