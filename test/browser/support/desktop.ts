/**
 * What a browser does beside its pages, in place of a desktop that is not there: notifications that are written down, and
 * pages that nobody sees. A browser without a screen refuses the one and knows nothing of the other.
 */
import type { Page } from 'playwright-core'

/** A notification as the page made it. */
export interface Said {
  readonly title: string
  readonly body: string
  readonly tag: string
  readonly silent: boolean
  readonly isClosed: boolean
}

/** Puts a recorder in place of the page's `Notification`, before the page begins. @param permission - as it is then */
export async function recordNotifications(page: Page, permission: 'default' | 'granted'): Promise<void> {
  await page.addInitScript((given) => {
    const said: object[] = []
    let asked = 0
    class Recorder extends EventTarget {
      static permission: string = given
      static async requestPermission(): Promise<string> {
        asked += 1
        Recorder.permission = 'granted'
        return Recorder.permission
      }
      isClosed = false
      readonly title: string
      readonly options: object
      constructor(title: string, options: object) {
        super()
        this.title = title
        this.options = options
        said.push(this)
      }
      close(): void {
        this.isClosed = true
      }
    }
    Object.assign(globalThis, { Notification: Recorder, desktop: { said, asked: () => asked } })
  }, permission)
}

/** What was said so far, the oldest first. */
export async function saidBy(page: Page): Promise<readonly Said[]> {
  const said: unknown = await page.evaluate(
    'desktop.said.map(({ title, options, isClosed }) => ({ title, ...options, isClosed }))',
  )
  return Array.isArray(said) ? said : []
}

/** How often the person was asked whether the page may. */
export async function askedBy(page: Page): Promise<unknown> {
  return page.evaluate('desktop.asked()')
}

/** Clicks on one of them. */
export async function clickNotification(page: Page, at: number): Promise<void> {
  await page.evaluate(`desktop.said[${at}].dispatchEvent(new Event('click'))`)
}

/** As a page is that nobody sees: it says so, and is not drawn. */
export async function hide(page: Page): Promise<void> {
  await page.evaluate(() => {
    const draw = globalThis.requestAnimationFrame
    const waiting: FrameRequestCallback[] = []
    Object.defineProperty(document, 'visibilityState', { get: () => 'hidden', configurable: true })
    globalThis.requestAnimationFrame = (callback) => waiting.push(callback)
    Object.assign(globalThis, {
      appear() {
        Object.defineProperty(document, 'visibilityState', { get: () => 'visible', configurable: true })
        globalThis.requestAnimationFrame = draw
        for (const callback of waiting) draw(callback)
        document.dispatchEvent(new Event('visibilitychange'))
      },
    })
    document.dispatchEvent(new Event('visibilitychange'))
  })
}

/** Brings it before somebody's eyes again. */
export async function appear(page: Page): Promise<void> {
  await page.evaluate('appear()')
}
