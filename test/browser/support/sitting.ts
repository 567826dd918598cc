/**
 * Somebody who sits at the page: a real daemon, the real process before it, and the page in a real browser.
 */
import type { Browser, Page } from 'playwright-core'
import { expect, vi } from 'vitest'
import { connect, type AgentdClient, type AgentdSession } from '../../../src/client/index.ts'
import { PAGE_FILES } from './browser.ts'
import { openSeat, type SeatOptions, type TestSeat } from '../../ui/serve/support.ts'

/** Their place, with the page in it. Use it with `await using`. */
export interface Sitting extends AsyncDisposable {
  readonly seat: TestSeat
  readonly page: Page
  readonly client: AgentdClient
  /** Errors of the page's console. */
  readonly errors: readonly string[]
}

/** Opens the page and waits until the person is there for everybody. */
export async function sit(browser: Browser, options: SeatOptions = {}): Promise<Sitting> {
  const seat = await openSeat({ readFiles: () => PAGE_FILES, ...options })
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  const page = await context.newPage()
  const errors: string[] = []
  page.on('console', (message) => void (message.type() === 'error' && errors.push(message.text())))
  await openLink(page, seat)
  const client = await connect({ socket: seat.daemon.socket })
  // Present is who holds a stream; the page's process opens it beside the watch.
  await vi.waitFor(async () =>
    expect(await client.roster()).toMatchObject([{ tool: 'human', subscriptions: 1 }]),
  )
  return {
    seat,
    page,
    client,
    errors,
    async [Symbol.asyncDispose]() {
      await context.close()
      await client.close()
      await seat[Symbol.asyncDispose]()
    },
  }
}

/** Follows a new link and waits until the page is live. */
export async function openLink(page: Page, seat: TestSeat): Promise<void> {
  await page.goto(seat.process.link().url)
  await page.waitForSelector('.link.live')
}

/** Long enough that a card hears: half a second after it came. */
export function heard(page: Page): Promise<unknown> {
  return page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 600)))
}

/** Somebody at work in a worktree. */
export function agent(client: AgentdClient, sessionId: string, worktree = '/r'): Promise<AgentdSession> {
  return client.session({
    instrument: 'cc-opus',
    sessionId,
    tool: 'cc',
    title: sessionId,
    worktree,
    repository: '/r/.git',
  })
}
