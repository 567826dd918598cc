/**
 * The pictures of the page: made by a program, of a real daemon and five agents at work.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findChromium } from '../support/needs.ts'
import { createTempDir } from '../support/temp-dir.ts'

const ROOT = join(import.meta.dirname, '..', '..')

/** A daemon, a page and a browser; a busy machine takes its time. */
const PATIENCE_MS = 120_000

/** Everybody who opens the page fetches it. */
const MAX_OCTETS = 200_000

const chromium = findChromium()

/** Width and height, from the head of a PNG. */
function sizeOf(png: Buffer): readonly number[] {
  expect(png.subarray(1, 4).toString('latin1')).toBe('PNG')
  return [png.readUInt32BE(16), png.readUInt32BE(20)]
}

test.runIf(chromium !== undefined)(
  'the pictures can be made anew: what needs the person, who is here and what collides is on them (SEAT-20, SEAT-45)',
  { timeout: PATIENCE_MS },
  async () => {
    await using dir = await createTempDir()

    execFileSync(process.execPath, [join(ROOT, 'test', 'recording', 'page.mjs'), '--to', dir.path], {
      env: { ...process.env, CHROMIUM: chromium },
      stdio: ['ignore', 'ignore', 'pipe'],
    })

    const sizes = ['page-light.png', 'page-dark.png'].map((name) => sizeOf(readFileSync(dir.file(name))))
    expect(sizes).toEqual([
      [1280, 900],
      [1280, 900],
    ])
  },
)

test.each([['page-light.png'], ['page-dark.png']])('%s is a picture, and small', (name) => {
  const png = readFileSync(join(ROOT, 'docs', name))

  expect(sizeOf(png)).toEqual([1280, 900])
  expect(png.length).toBeLessThan(MAX_OCTETS)
})
