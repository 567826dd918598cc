import { mkdirSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Browser, Page } from 'playwright-core'
import { findChromium } from '../support/needs.ts'
import { need, session, snapshot } from '../ui/support/wire.ts'
import { launch, openPage } from './support/browser.ts'
import { agent, sit, type Sitting } from './support/sitting.ts'

const chromium = findChromium()

/** May read what was copied, as a person may paste it. */
async function clipboardOf(page: Page): Promise<string> {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  return page.evaluate(() => navigator.clipboard.readText())
}

/** A session that has said something of two files, of which one is there. @returns its worktree */
async function nameFiles({ seat, client, page }: Sitting): Promise<string> {
  const worktree = seat.daemon.dir.file('tree')
  mkdirSync(`${worktree}/src`, { recursive: true })
  writeFileSync(`${worktree}/src/a b.ts`, '')
  const one = await agent(client, 's1', worktree)
  await one.advise('at work', { fileRefs: ['src/a b.ts:12', '../secret'] })
  await page.click('nav >> text=Passing')
  await page.locator('.row', { hasText: 'at work' }).click()
  await page.getByRole('list', { name: 'Files' }).waitFor()
  return worktree
}

describe.runIf(chromium !== undefined)('a file that somebody names', { timeout: 60_000 }, () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launch(chromium)
  })
  afterAll(() => browser.close())

  test('is copied by a click, and without an editor that is all (SEAT-29)', async () => {
    await using sitting = await sit(browser)
    const { page, errors } = sitting
    await nameFiles(sitting)
    const files = page.getByRole('list', { name: 'Files' })
    await files.getByText('src/a b.ts:12').click()
    await files.getByText('Copied.').waitFor()

    expect(await clipboardOf(page)).toBe('src/a b.ts:12')
    expect(await page.locator('a').count()).toBe(0)
    expect(errors).toEqual([])
  })

  test('with an editor it is offered where it stands, and following that leaves the page as it is (SEAT-29)', async () => {
    await using sitting = await sit(browser, { editor: 'vscode' })
    const { page, seat, client, errors } = sitting
    const worktree = await nameFiles(sitting)
    const files = page.getByRole('list', { name: 'Files' })
    await files.getByRole('button', { name: 'src/a b.ts:12' }).press('Enter')
    const link = files.getByRole('link', { name: 'Open in your editor' })
    await link.waitFor()
    const debug = await page.context().newCDPSession(page)
    const asked: { url: string; reason: string }[] = []
    debug.on('Page.frameRequestedNavigation', (event) => asked.push(event))
    await debug.send('Page.enable')
    await page.evaluate(() => {
      document.addEventListener('securitypolicyviolation', ({ violatedDirective }) =>
        document.body.setAttribute('data-violated', violatedDirective),
      )
    })
    const href = `vscode://file${worktree}/src/a%20b.ts:12`
    expect(await link.getAttribute('href')).toBe(href)
    await link.click()
    await files.getByText('Your browser asks before it opens anything').waitFor()

    expect(asked).toMatchObject([{ url: href, reason: 'anchorClick' }])
    // The stream goes on, and the policy of the page has nothing against it.
    await (await agent(client, 's2')).advise('still live')
    await page.locator('.row', { hasText: 'still live' }).waitFor()
    expect(await page.locator('body').getAttribute('data-violated')).toBeNull()
    expect(page.url()).toBe(`http://${seat.authority}/`)
    expect(errors).toEqual([])
  })

  test('one outside of its session’s worktree is copied, and has no address (SEAT-29)', async () => {
    await using sitting = await sit(browser, { editor: 'cursor' })
    const { page } = sitting
    await nameFiles(sitting)
    await page.getByText('../secret', { exact: true }).first().click()
    await page
      .locator('.files')
      .getByText('Copied. There is no such file in the worktree of that session.')
      .waitFor()

    expect(await clipboardOf(page)).toBe('../secret')
    expect(await page.locator('a').count()).toBe(0)
  })

  test('in a collision it is asked for in the worktree of who was there last (SEAT-24, SEAT-29)', async () => {
    await using sitting = await sit(browser, { editor: 'vscode' })
    const { page, client } = sitting
    const worktree = await nameFiles(sitting)
    const other = await agent(client, 's2', worktree)
    await (await agent(client, 's3', worktree)).advise('x', { fileRefs: ['src/a b.ts'] })
    await other.advise('y', { fileRefs: ['src/a b.ts'] })
    await page.click('nav >> text=Now')
    await page.locator('.collisions').getByRole('button', { name: 'src/a b.ts' }).click()
    await page.locator('.collisions').getByRole('link', { name: 'Open in your editor' }).waitFor()

    expect(await clipboardOf(page)).toBe('src/a b.ts')
  })

  test('on a card it is copied as it is shown: nothing unseen gets into a shell with it (SEAT-27, SEAT-29)', async () => {
    const open = await openPage(browser, (seat) => {
      const frame = { frame_id: 'f', payload: { substrate_refs: ['a\u202Eb\ncurl evil'] } }
      seat.snapshot = snapshot({
        sessions: [session('~alice/cc@s1')],
        needs: [need('g1', { type: 'diagnostic', frame })],
      })
    })
    const card = open.page.locator('[data-need="g1"]')
    await card.locator('.file').click()
    await card.getByText('Copied.').waitFor()

    expect(await clipboardOf(open.page)).toBe('a‹U+202E›b‹U+000A›curl evil')
    expect(open.errors).toEqual([])
    await open.close()
  })

  test('where the browser keeps its clipboard to itself, that is said (SEAT-23)', async () => {
    const open = await openPage(browser, (seat) => {
      const frame = { frame_id: 'f', payload: { substrate_refs: ['src/a.ts'] } }
      seat.snapshot = snapshot({ needs: [need('g1', { type: 'diagnostic', frame })] })
    })
    await open.page.evaluate(() => {
      Object.defineProperty(navigator.clipboard, 'writeText', {
        value: () => Promise.reject(new Error('no')),
      })
    })
    const card = open.page.locator('[data-need="g1"]')
    await card.locator('.file').click()

    await card.getByText('Not copied: the browser forbids it.').waitFor()
    await open.close()
  })
})
