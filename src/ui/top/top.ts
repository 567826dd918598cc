/**
 * The seat at a terminal, put together: the session, the watch, the screen and the keys.
 *
 * @see docs/ui.md "In a terminal"; SEAT-01, SEAT-02, SEAT-38
 */
import type { Palette } from '../../core/display/palette.ts'
import type { Logger } from '../../core/log.ts'
import { AgentdClient } from '../../client/client.ts'
import { Connection, type ClientParts } from '../../client/http/connection.ts'
import { alertLine, titleWords, type NeedAlert } from '../seat/alerts/alert-words.ts'
import { NeedAlerts } from '../seat/alerts/need-alerts.ts'
import { SeatModel } from '../seat/seat-model.ts'
import { Presence } from '../serve/upstream/presence.ts'
import type { Signing } from '../serve/upstream/signing.ts'
import { drawFrame } from './lines/frame.ts'
import { formatLine } from './lines/line.ts'
import { SeatCalls } from './link/calls.ts'
import { watch } from './link/watching.ts'
import { Keys } from './state/press.ts'
import { refreshThreads } from './state/threads.ts'
import { TopSeat } from './state/top-seat.ts'
import { editText } from './terminal/editor.ts'
import { listenToKeys } from './terminal/keyboard.ts'
import { Painter } from './terminal/painter.ts'
import type { Terminal } from './terminal/terminal.ts'
import { ShownNeeds } from './shown-needs.ts'

/** What a seat at a terminal is made from. */
export interface TopParts {
  /** The daemon's socket, and whose daemon it is. */
  readonly socketPath: string
  readonly principal: string
  readonly clientParts: ClientParts
  /** Taken already, or taken now. */
  readonly terminal: Terminal
  readonly input: NodeJS.ReadStream
  readonly output: NodeJS.WriteStream
  /** Colours of the terminal. */
  readonly paint: Palette
  /** Variables of the person: `EDITOR`. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Whether the person is to be called when something needs them. */
  readonly mayCall: boolean
  /** With the person's keys. */
  readonly loadSigning: () => Promise<Signing>
}

/** How often the ages on the screen are counted anew, in milliseconds. */
const TICK_MS = 1_000

/** A terminal that does not say how large it is. */
const USUAL_SIZE = { columns: 80, rows: 24 } as const

/** There is a screen to tell things on, and no log. */
const SILENT: Logger = { info() {}, warn() {}, error() {} }

/** One terminal. */
export class Top {
  readonly #parts: TopParts
  readonly #model: SeatModel
  readonly #seat: TopSeat
  readonly #painter: Painter
  readonly #connection: Connection
  readonly #presence: Presence
  readonly #calls: SeatCalls
  readonly #shownNeeds: ShownNeeds
  readonly #alerts: NeedAlerts
  readonly #ending = new AbortController()
  #stopKeys: (() => void) | undefined

  constructor(parts: TopParts) {
    const { clientParts, principal } = parts
    this.#parts = parts
    this.#model = new SeatModel(clientParts.clock)
    this.#connection = new Connection(parts.socketPath, clientParts)
    const client = new AgentdClient(this.#connection, principal)
    this.#presence = new Presence({ client, connection: this.#connection, log: SILENT, pid: process.pid })
    const { loadSigning } = parts
    this.#calls = new SeatCalls({ connection: this.#connection, presence: this.#presence, loadSigning })
    this.#painter = new Painter(clientParts.clock, () => this.#paint())
    this.#shownNeeds = new ShownNeeds((eventId) => void this.#calls.seen(eventId))
    this.#alerts = new NeedAlerts({
      clock: clientParts.clock,
      model: this.#model,
      sinceMs: clientParts.clock.nowMs(),
      isShown: (needId) => this.#isShown(needId),
      tell: (alert) => this.#call(alert),
      // A bell that has rung cannot be taken back.
      withdraw() {},
    })
    this.#seat = new TopSeat(this.#model, {
      call: (request) => this.#calls.call(request),
      willSign: () => this.#calls.willSign(),
      fetchItem: (eventId) => this.#calls.item(eventId),
      fetchThreads: () => this.#calls.threads(),
      fetchThread: (corr) => this.#calls.thread(corr),
      editText: (text) => this.#edit(text),
      onChange: () => this.#painter.ask(),
      quit: () => this.quit(),
      // Everybody of the group, as the terminal itself does it: a shell waits for who started us.
      suspend: () => void process.kill(0, 'SIGTSTP'),
    })
  }

  /** Sits there until the person quits. */
  async run(): Promise<void> {
    const leave = this.#presence.enter()
    const { clock } = this.#parts.clientParts
    const { output } = this.#parts
    const onResize = (): void => {
      this.#parts.terminal.forget()
      this.#painter.ask()
    }
    output.on('resize', onResize)
    // The first screen stands there: what is painted next is what the daemon says, and it has not to wait behind another.
    this.#take()
    const tick = (): void => {
      if (this.#ending.signal.aborted) return
      refreshThreads(this.#seat)
      this.#painter.ask()
      clock.after(TICK_MS, tick)
    }
    clock.after(TICK_MS, tick)
    const { signal } = this.#ending
    await watch(
      {
        connection: this.#connection,
        presence: this.#presence,
        model: this.#model,
        onNews: () => this.#news(),
      },
      signal,
    )
    output.off('resize', onResize)
    this.#alerts.stop()
    leave()
    await this.#presence.close()
    this.#connection.close()
  }

  /** Gives the terminal back, and ends. */
  quit(): void {
    this.#letGo()
    this.#ending.abort()
  }

  /** Gives the terminal back and stops; {@link resume} goes on. */
  suspend(): void {
    this.#letGo()
    process.kill(process.pid, 'SIGSTOP')
  }

  /** Takes the terminal. */
  resume(): void {
    if (this.#ending.signal.aborted) return
    this.#take()
    this.#painter.ask()
  }

  #take(): void {
    const { terminal, input } = this.#parts
    terminal.take()
    const keys = new Keys(this.#seat)
    this.#stopKeys ??= listenToKeys(input, (press) => keys.press(press))
  }

  #letGo(): void {
    this.#painter.stop()
    this.#stopKeys?.()
    this.#stopKeys = undefined
    this.#parts.terminal.giveBack()
  }

  #news(): void {
    this.#alerts.look()
    this.#painter.ask()
  }

  #isShown(needId: string): boolean {
    const { panel } = this.#seat.view
    return panel?.name === 'need' && panel.needId === needId
  }

  #call(alert: NeedAlert): void {
    const { mayCall, terminal } = this.#parts
    if (mayCall && !alert.isQuiet) terminal.call(alertLine(alert))
  }

  async #edit(text: string): Promise<string | undefined> {
    const { env } = this.#parts
    const editor = env['VISUAL'] || env['EDITOR']
    if (editor === undefined || editor === '') return undefined
    this.#letGo()
    const edited = await editText(editor, text)
    this.resume()
    return edited
  }

  #paint(): void {
    const { terminal, output, paint, clientParts } = this.#parts
    if (!terminal.isTaken) return
    const nowMs = clientParts.clock.nowMs()
    this.#seat.settle()
    const { view, shown } = this.#seat
    const columns = output.columns || USUAL_SIZE.columns
    const rows = output.rows || USUAL_SIZE.rows
    const frame = drawFrame({ model: this.#model, view, columns, rows, nowMs }, shown)
    if (view.scroll > frame.scrollEnd) this.#seat.view = { ...view, scroll: frame.scrollEnd }
    terminal.paint(
      frame.lines.map((line) => formatLine(line, paint)),
      frame.cursor,
    )
    const you = this.#model.needs().filter(({ addressed }) => addressed === 'you').length
    terminal.name(titleWords(you))
    this.#shownNeeds.look(this.#model, view, clientParts.clock.monotonicMs())
  }
}
