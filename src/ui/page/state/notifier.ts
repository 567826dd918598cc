/**
 * Telling the person by their browser while they do not see what needs them. Whether it may is asked by a button alone.
 *
 * Several pages may be open: while one of them is visible the hidden ones leave it to that one, and what two hidden pages
 * say under one tag is one notification.
 *
 * @see SEAT-41, SEAT-42, SEAT-43
 */
import { signal, type Signal } from '@preact/signals'
import { systemClock } from '../../../core/clock.ts'
import type { NeedAlert } from '../../seat/alerts/alert-words.ts'
import { NeedAlerts } from '../../seat/alerts/need-alerts.ts'
import type { SeatModel } from '../../seat/seat-model.ts'
import { isVisible } from './is-visible.ts'

/** What a page holds as long as it is visible. */
const VISIBLE_LOCK = 'agentd-visible'

/** One page's. */
export class Notifier {
  /** `default` while the person may be asked; undefined in a browser that has no notifications. */
  readonly permission: Signal<NotificationPermission | undefined> = signal(permission())
  readonly #alerts: NeedAlerts
  readonly #showCards: () => void
  /** By key, undefined for what is not shown yet; what was taken back is in here no longer. */
  readonly #standing = new Map<string, Notification | undefined>()
  #leave = (): void => {}

  /** @param showCards - brings what needs the person onto the page, when they have clicked */
  constructor(model: SeatModel, showCards: () => void) {
    this.#showCards = showCards
    this.#alerts = new NeedAlerts({
      clock: systemClock,
      model,
      sinceMs: Date.now(),
      isShown: (needId) => isVisible() && cardOf(needId)?.offsetParent instanceof Element,
      // Some browsers have notifications only for what they have installed.
      tell: (alert) => void this.#tell(alert).catch(() => {}),
      withdraw: (key) => {
        this.#standing.get(key)?.close()
        this.#standing.delete(key)
      },
    })
    document.addEventListener('visibilitychange', () => this.#holdWhileVisible())
    this.#holdWhileVisible()
  }

  /** To be called from a click: browsers ask the person for nothing else. */
  async ask(): Promise<void> {
    this.permission.value = await Notification.requestPermission()
  }

  /** The model was fed, or another second has gone by. */
  look(): void {
    this.#alerts.look()
  }

  async #tell(alert: NeedAlert): Promise<void> {
    this.#standing.set(alert.key, this.#standing.get(alert.key))
    if (permission() !== 'granted') return
    if (isVisible()) return this.#show(alert)
    // Nobody holds it: no page that the person sees decides what they are told.
    await navigator.locks.request(VISIBLE_LOCK, { mode: 'shared', ifAvailable: true }, (lock) => {
      if (lock !== null) this.#show(alert)
    })
  }

  #show({ key, needId = '', title, body, isQuiet }: NeedAlert): void {
    if (!this.#standing.has(key)) return
    const notification = new Notification(title, { body, tag: key, silent: isQuiet })
    notification.addEventListener('click', () => {
      notification.close()
      window.focus()
      this.#showCards()
      // First it is drawn, which a browser does not do as long as nobody sees it.
      requestAnimationFrame(() => requestAnimationFrame(() => focusCard(needId)))
    })
    this.#standing.set(key, notification)
  }

  #holdWhileVisible(): void {
    this.#leave()
    if (!isVisible()) return
    const whileVisible = (): Promise<void> | undefined =>
      isVisible() ? new Promise((resolve) => (this.#leave = resolve)) : undefined
    void navigator.locks.request(VISIBLE_LOCK, whileVisible)
  }
}

function permission(): NotificationPermission | undefined {
  return 'Notification' in globalThis ? Notification.permission : undefined
}

/** The card of a need, which is drawn where the person looks unless it is in a list that is folded. */
function cardOf(needId: string): HTMLElement | null {
  return document.querySelector(`[data-need="${CSS.escape(needId)}"]`)
}

function focusCard(needId: string): void {
  const card = cardOf(needId)
  card?.closest('details')?.setAttribute('open', '')
  card?.focus()
}
