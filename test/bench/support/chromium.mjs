/**
 * A Chromium of the run's own, where one is installed.
 */
import { writeFileSync } from 'node:fs'
import { figureLine } from './contest.mjs'
import { findCommand, onEveryCore } from './machine.mjs'
import { createTempDir } from './processes.mjs'

/** Names under which systems install one. */
const NAMES = ['chromium', 'chromium-browser', 'google-chrome']

const VIEWPORT = { width: 1_280, height: 800 }

/**
 * Runs something with a browser.
 *
 * @param what - in the one line there is where no Chromium is installed
 */
export async function withChromium(what, run) {
  const path = process.env.CHROMIUM ?? NAMES.map(findCommand).find((found) => found !== undefined)
  if (path === undefined) return [figureLine({ what, figure: null, note: 'no Chromium is installed' })]
  const dir = createTempDir()
  const { chromium } = await import('playwright-core')
  // As root it refuses to start with its sandbox.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  const browser = await chromium.launch({ executablePath: onAllCores(path, dir), args })
  try {
    return await run(browser)
  } finally {
    await browser.close()
    dir.remove()
  }
}

/** A person's browser has the whole machine; what this process starts has the client's core. @returns a program */
function onAllCores(path, dir) {
  const program = dir.file('chromium')
  writeFileSync(program, `#!/bin/sh\nexec ${onEveryCore([path]).join(' ')} "$@"\n`, { mode: 0o700 })
  return program
}

/** A tab with nothing in it. @returns the page; closing its context closes it */
export async function openTab(browser) {
  const context = await browser.newContext({ viewport: VIEWPORT })
  return context.newPage()
}

/** The processes that draw pages, by their ids. */
export async function rendererPids(browser) {
  const session = await browser.newBrowserCDPSession()
  const { processInfo } = await session.send('SystemInfo.getProcessInfo')
  await session.detach()
  return processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => id)
}
