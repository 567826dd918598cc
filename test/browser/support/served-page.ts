/**
 * A person at their page: a real daemon, `agentd ui` as people start it, and the page in a real browser.
 */
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { connect, type AgentdClient } from '../../../src/client/index.ts'
import { agentd, startAgentd, words, type Outcome } from '../../cli/support.ts'
import { startTestDaemon } from '../../support/daemon.ts'

/** Use it with `await using`. */
export interface ServedPage extends AsyncDisposable {
  readonly socket: string
  readonly page: Page
  readonly client: AgentdClient
  /** Errors of the page's console. */
  readonly errors: readonly string[]
  /** Runs a command of the person's. */
  readonly run: (line: string) => Promise<Outcome>
  /** The card of the one approval there is, once its buttons hear. */
  readonly card: () => Promise<ReturnType<Page['locator']>>
}

/** Serves one. */
export async function servePage(browser: Browser, options: BrowserContextOptions = {}): Promise<ServedPage> {
  const daemon = await startTestDaemon()
  const serving = startAgentd(daemon.env, words('ui --foreground --no-open'))
  const [url = ''] = await serving.untilSaid(/http:\S+/)
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options })
  const page = await context.newPage()
  const errors: string[] = []
  page.on('console', (message) => void (message.type() === 'error' && errors.push(message.text())))
  await page.goto(url)
  await page.waitForSelector('.link.live')
  const client = await connect({ socket: daemon.socket })
  return {
    socket: daemon.socket,
    page,
    client,
    errors,
    run: (line) => agentd(daemon.env, words(line)),
    async card() {
      const card = page.locator('[data-type=approval]:has([data-action=approve])')
      await card.waitFor()
      // A real wait: a card is deaf for half a second of real time.
      await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 600)))
      return card
    },
    async [Symbol.asyncDispose]() {
      await context.close()
      await client.close()
      await serving[Symbol.asyncDispose]()
      await daemon[Symbol.asyncDispose]()
    },
  }
}
