/**
 * What a browser fetches of the page.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { DIST } from '../support/start-graph.ts'

const PAGE = join(DIST, 'ui', 'page')

/** Of all that is fetched, in octets. */
const MAX_GZIPPED = 40_000

test('the page is four files, and at most 40 KB of them gzipped (SEAT-33)', () => {
  const fetched = readdirSync(PAGE).filter((name) => name !== 'LICENSES.txt')
  const sizes = fetched.map((name) => gzipSync(readFileSync(join(PAGE, name)), { level: 9 }).length)

  expect(fetched.toSorted()).toEqual(['icon.svg', 'index.html', 'page.css', 'page.js'])
  expect(sizes.reduce((all, size) => all + size, 0)).toBeLessThanOrEqual(MAX_GZIPPED)
})
