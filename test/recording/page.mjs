/**
 * The pictures of the person's page: a real daemon, five agents at work, and Chromium.
 *
 *   npm run build && npm run record:page
 *   npm run record:page -- --to folder
 *
 * Needs git and a Chromium (`CHROMIUM`, or one on the path).
 */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { chromium } from 'playwright-core'
import { Morning } from './morning.mjs'

/** Where the README looks for them. */
const DOCS = fileURLToPath(new URL('../../docs', import.meta.url))

/** A laptop's window, and as high as four cards are. */
const VIEWPORT = { width: 1280, height: 900 }

const { values } = parseArgs({ options: { to: { type: 'string', default: DOCS } } })
const found = () => execFileSync('sh', ['-c', 'command -v chromium || command -v google-chrome'])
const executablePath = process.env['CHROMIUM'] ?? found().toString().trim()

const morning = new Morning()
const browser = await chromium.launch({
  executablePath,
  args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
})
try {
  const link = await morning.begin()
  const page = await browser.newPage({ viewport: VIEWPORT })
  await page.goto(link)
  // The person is there before anybody asks them: who asks with nobody at the seat is told so, and does not wait.
  await page.getByText('you: this page').waitFor()
  await morning.play()
  await page.locator('.card').nth(3).waitFor()
  await page.locator('.collisions li').nth(1).waitFor()
  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme })
    await page.screenshot({ path: join(values.to, `page-${colorScheme}.png`) })
  }
} finally {
  await browser.close()
  await morning.end()
}
