/**
 * A real Chromium with the page in it: what it writes to its console and what it asks for are watched by every test.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core'
import { readPageFiles } from '../../../src/ui/serve/files.ts'
import { FakeSeat } from '../../ui/support/fake-seat.ts'

/** The page as it is built. */
export const PAGE_FILES = readPageFiles(join(import.meta.dirname, '..', '..', '..', 'dist', 'ui', 'page'))

/** What every Chromium of a test is started with. */
export function argumentsOf(): string[] {
  // As root it refuses to start with its sandbox.
  return process.getuid?.() === 0 ? ['--no-sandbox'] : []
}

/** @param executablePath - as `findChromium` found it */
export async function launch(executablePath: string | undefined): Promise<Browser> {
  return chromium.launch({ ...(executablePath !== undefined && { executablePath }), args: argumentsOf() })
}

/** A page that is open on a seat, and what went wrong in it. */
export interface OpenPage {
  readonly page: Page
  readonly seat: FakeSeat
  /** Errors of its console, and exceptions that nobody caught. */
  readonly errors: readonly string[]
  /** Addresses it asked for, in order. */
  readonly requests: readonly string[]
  readonly close: () => Promise<void>
}

/**
 * Opens a page on a fake seat.
 *
 * @param prepare - what the seat is to say before the page comes
 * @param before - what is done to the page before it begins
 */
export async function openPage(
  browser: Browser,
  prepare: (seat: FakeSeat) => void = () => {},
  options: BrowserContextOptions = {},
  before: (page: Page) => Promise<void> = async () => {},
): Promise<OpenPage> {
  const seat = new FakeSeat()
  prepare(seat)
  const link = await seat.start()
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options })
  const page = await context.newPage()
  const errors: string[] = []
  const requests: string[] = []
  page.on('console', (message) => void (message.type() === 'error' && errors.push(message.text())))
  page.on('pageerror', (error) => errors.push(String(error)))
  page.on('request', (request) => requests.push(request.url()))
  await before(page)
  await page.goto(link)
  const close = async (): Promise<void> => {
    await context.close()
    await seat.stop()
  }
  return { page, seat, errors, requests, close }
}

/** The token that the page has kept for a reload, its two parts together; '' where it has none (SEAT-16). */
export async function tokenOf(page: Page): Promise<string> {
  const [first, kept] = await page.evaluate(() => [self.name, sessionStorage.getItem('agentd')])
  return `${first}${JSON.parse(kept ?? '{}').token ?? ''}`
}

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

/** What axe finds wrong, one line each; nothing on a good page (SEAT-32). */
export async function findViolations(page: Page): Promise<readonly string[]> {
  const isThere = await page.evaluate(() => 'axe' in globalThis)
  // Through the debugger: the page itself runs nothing but its own script.
  if (!isThere) await page.evaluate(readFileSync(AXE, 'utf8'))
  const found: unknown = await page.evaluate('axe.run().then(({ violations }) => violations)')
  return Array.isArray(found) ? found.map((violation) => describe(violation)) : ['axe said nothing']
}

function describe(violation: unknown): string {
  return JSON.stringify(violation, ['id', 'help', 'nodes', 'html', 'failureSummary'])
}
