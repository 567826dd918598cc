/** What a browser writes down of a visit, in a profile as people have one (SEAT-15). */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { chromium as launcher } from 'playwright-core'
import { describe, expect, test, vi } from 'vitest'
import { findChromium } from '../support/needs.ts'
import { createTempDir } from '../support/temp-dir.ts'
import { keyOf, openSeat } from '../ui/serve/support.ts'
import { argumentsOf, PAGE_FILES, tokenOf } from './support/browser.ts'

const chromium = findChromium()

/** The texts of a file, as octets and as the two octets a character that some of Chromium's files have. */
function holds(path: string, text: string): boolean {
  const octets = readFileSync(path)
  // As octets: a search for characters of two looks at even places alone.
  return octets.includes(Buffer.from(text, 'latin1')) || octets.includes(Buffer.from(text, 'utf16le'))
}

function filesOf(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}

describe.runIf(chromium !== undefined)('the profile of a browser', { timeout: 60_000 }, () => {
  test('has neither the key that the page was opened with nor its token, in no file (SEAT-15, SEAT-16)', async () => {
    await using seat = await openSeat({ readFiles: () => PAGE_FILES })
    await using profile = await createTempDir()
    const { url, open_file: file = '' } = seat.process.open()
    const context = await launcher.launchPersistentContext(profile.path, {
      ...(chromium !== undefined && { executablePath: chromium }),
      args: argumentsOf(),
    })
    const holding = (text: string): readonly string[] =>
      filesOf(profile.path).filter((path) => holds(path, text))
    const page = await context.newPage()
    const addresses: string[] = []
    page.on('framenavigated', (frame) => addresses.push(frame.url()))
    // As "agentd ui" has it opened: the file is gone before it has been read to its end.
    await page.goto(pathToFileURL(file).href, { waitUntil: 'commit' })
    await page.waitForSelector('.link.live')
    const token = await tokenOf(page)
    const parts = [token.slice(0, 21), token.slice(21)] as const
    // What the tab keeps, and what would be opened again after a crash, are written down some seconds later.
    await vi.waitFor(() => {
      const files = holding(parts[1]).map((path) => relative(profile.path, path))
      expect(files.join()).toContain('Session Storage')
      expect(holding(seat.authority).join()).toContain('/Sessions/Session_')
    }, 30_000)
    expect(await page.evaluate(() => history.length)).toBe(2)
    await context.close()

    const origin = `http://${seat.authority}`
    expect(addresses).toEqual([pathToFileURL(file).href, `${origin}/login`, `${origin}/`])
    expect(existsSync(file)).toBe(false)
    expect(holding(`${origin}/`).join()).toContain('/Default/History')
    expect(holding(keyOf(url))).toEqual([])
    expect(holding(token)).toEqual([])
    // Of what stands there nobody gets to the rest: it was in memory.
    expect(holding(parts[0])).toEqual([])
    expect((await seat.ask('/v1/health', { token })).status).toBe(200)
    expect((await seat.ask('/v1/health', { token: parts[1] })).status).toBe(401)
  })

  test('has of a link that was followed by hand its address alone, whose key opens nothing by then (SEAT-15)', async () => {
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
    const token = await tokenOf(page)
    await context.close()

    const files = filesOf(profile.path)
    // Chromium writes down the address of a document as soon as it comes, before its script can take the key away.
    expect(files.filter((path) => holds(path, keyOf(url))).join()).toContain('/Default/History')
    expect(await seat.ask('/login', { json: { key: keyOf(url) } })).toMatchObject({
      status: 401,
      body: { code: 'link-used' },
    })
    expect(files.filter((path) => holds(path, token))).toEqual([])
  })
})
