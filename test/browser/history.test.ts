/** What a browser writes down of a visit, in a profile as people have one (SEAT-15). */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { chromium as launcher } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { findChromium } from '../support/needs.ts'
import { createTempDir } from '../support/temp-dir.ts'
import { keyOf, openSeat } from '../ui/serve/support.ts'
import { argumentsOf, PAGE_FILES } from './support/browser.ts'

const chromium = findChromium()

/** The texts of a file, as octets and as the two octets a character that some of Chromium's files have. */
function holds(path: string, text: string): boolean {
  const octets = readFileSync(path)
  return octets.includes(text, 0, 'latin1') || octets.includes(text, 0, 'utf16le')
}

function filesOf(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}

describe.runIf(chromium !== undefined)('the profile of a browser', { timeout: 60_000 }, () => {
  test('keeps the address of the link, whose key opens nothing by then, and no token (SEAT-15, SEAT-16)', async () => {
    await using seat = await openSeat({ readFiles: () => PAGE_FILES })
    await using profile = await createTempDir()
    const { url } = seat.process.link()
    const context = await launcher.launchPersistentContext(profile.path, {
      ...(chromium !== undefined && { executablePath: chromium }),
      args: argumentsOf(),
    })
    const page = await context.newPage()
    await page.goto(url)
    await page.waitForSelector('.link.live')
    const token = String(await page.evaluate(() => sessionStorage.getItem('agentd-token')))
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByText('This page is signed out.').waitFor()
    await context.close()

    const files = filesOf(profile.path)
    const history = files.filter((path) => path.endsWith('/Default/History'))
    expect(history.map((path) => holds(path, `http://${seat.authority}/`))).toEqual([true])
    // Chromium writes down the address of a document as soon as it comes, before its script can take the key away.
    expect(await seat.ask('/login', { json: { key: keyOf(url) } })).toMatchObject({
      status: 401,
      body: { code: 'link-used' },
    })
    expect(files.filter((path) => holds(path, token))).toEqual([])
    expect((await seat.ask('/v1/health', { token })).status).toBe(401)
  })
})
