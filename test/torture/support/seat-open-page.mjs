/**
 * A page that is open with something typed into it, while its process is killed and another user takes the port.
 */
import { keptBy, openPage } from './chromium.mjs'
import { request } from './http.mjs'
import { squat } from './seat-strangers.mjs'

/** What is in a field of the page and was not sent. */
const TYPED = 'typed and not sent'

/**
 * Needs root, to become somebody else. The process is dead behind it.
 *
 * @param stage - `{seat, daemon, link}`; the link was not used yet
 */
export async function tryOpenPage(browser, { seat, daemon, link }) {
  const { page, context } = await openPage(browser)
  await page.goto(link)
  await page.waitForSelector('.link.live')
  await request(daemon.socket, '/v1/verbs/agent_query', {
    json: { text: 'May I?', recipient_scope: '~alice/human*' },
  })
  await page.waitForSelector('[data-type=question]')
  // A card that has just come does nothing for half a second.
  await page.waitForTimeout(600)
  await page.click('[data-action=answer]')
  await page.keyboard.type(TYPED)
  const token = (await keptBy(page)).join('')
  await seat.stop('SIGKILL')
  const squatter = await squat(seat.port)
  await page.keyboard.press('Control+Enter')
  await page.getByText('This page is signed out').waitFor()
  await page.keyboard.press('Control+Enter')
  const kept = (await keptBy(page)).join('')
  // What a page of the other user's would find at this origin.
  await page.reload()
  await context.close()
  squatter.child.kill('SIGKILL')
  const heard = squatter.heard().map((line) => JSON.parse(line))
  return judge({ heard, token, kept })
}

function judge({ heard, token, kept }) {
  const checks = {
    'it was asked who it is': heard.some((text) => text.startsWith('GET /hello?nonce=')),
    'no token came': heard.every((text) => !text.includes(token) && !/^authorization:/im.test(text)),
    'no body came': heard.every((text) => text.endsWith('\r\n\r\n') && !/^content-length: [^0]/im.test(text)),
    'nothing typed came': heard.every((text) => !text.includes(TYPED)),
    'no token is left for a page of its own': kept === '',
  }
  const names = Object.keys(checks).map((name) => `open page, another user at its port: ${name}`)
  return { tried: names, passed: names.filter((_name, at) => !Object.values(checks)[at]) }
}
