/**
 * A real Chromium for pages that mean ill: what it does of its own to keep web pages from programs of this machine is off,
 * so that what is tried is tried against ours.
 */
import { chromium } from 'playwright-core'
import { chromiumPath } from '../../support/chromium-path.mjs'

/** Every name below it leads to this machine, as a name of an attacker's own may. */
export const HOSTILE_ZONE = 'test'

const FEATURES_OFF = [
  'LocalNetworkAccessChecks',
  'LocalNetworkAccessChecksWebSockets',
  'LocalNetworkAccessChecksWebRTC',
  'BlockInsecurePrivateNetworkRequests',
  'PrivateNetworkAccessSendPreflights',
  'PrivateNetworkAccessForNavigations',
  'HttpsUpgrades',
]

/**
 * Starts one.
 *
 * @param secureOrigins - that are to have what browsers give to HTTPS alone, such as service workers
 * @returns undefined where there is none
 * @throws Error where `AGENTD_BROWSER` is `required` and there is none
 */
export async function startChromium(secureOrigins = []) {
  const executablePath = chromiumPath()
  if (executablePath === undefined) {
    if (process.env.AGENTD_BROWSER === 'required') throw new Error('No Chromium is installed.')
    return undefined
  }
  const args = [
    '--no-proxy-server',
    `--host-resolver-rules=MAP *.${HOSTILE_ZONE} 127.0.0.1`,
    `--disable-features=${FEATURES_OFF.join(',')}`,
    `--unsafely-treat-insecure-origin-as-secure=${secureOrigins.join(',')}`,
    // As root it refuses to start with its sandbox.
    ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
  ]
  return chromium.launch({ executablePath, args })
}

/** @returns what the page keeps of its token: the name of its window, and what is in its storage */
export async function keptBy(page) {
  const [first, text] = await page.evaluate(() => [self.name, sessionStorage.getItem('agentd')])
  return [first, JSON.parse(text ?? '{}').token ?? '']
}

/** @returns a page of its own with what went wrong in it: errors of its console, and exceptions that nobody caught */
export async function openPage(browser, { viewport = { width: 1280, height: 800 } } = {}) {
  const context = await browser.newContext({ viewport })
  const page = await context.newPage()
  const errors = []
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
  page.on('pageerror', (error) => errors.push(String(error)))
  return { page, context, errors }
}
