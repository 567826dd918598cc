/**
 * What the full command starts from: a few files of its own, and of the packages only what every command needs. Each
 * module more is a file that is looked for, read and linked before the first word of help.
 *
 * @see docs/decisions/006-short-ways.md; bundle.mjs
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { DIST, startGraph, wholeGraph } from '../support/start-graph.ts'

const ENTRY = join(DIST, 'cli', 'main.js')
const REPORT = join(DIST, 'cli', 'run', 'report.js')
const TOP = join(DIST, 'cli', 'seat', 'run-top.js')
const DAEMON = join(DIST, 'daemon', 'main.js')
const SERVER = join(DIST, 'mcp', 'serve.js')
const KEYS = join(DIST, 'host', 'config', 'config-keys.js')

test('the full command starts from its entry, eight parts beside it at the most, and commander', () => {
  const { files, packages } = startGraph(ENTRY)

  const places = [...files].map((file) => relative(DIST, file)).filter((file) => file !== 'cli/main.js')
  expect(places.filter((file) => !/^command\/[\w-]+\.js$/.test(file))).toEqual([])
  expect(places.length).toBeGreaterThan(0)
  expect(places.length).toBeLessThanOrEqual(8)
  expect([...packages].filter((name) => name !== 'commander')).toEqual([])
})

test('every part of the command is there, none of an earlier build, and the daemon and what is with zod are those of their own bundles', () => {
  const { files } = wholeGraph([ENTRY, REPORT, TOP])
  const daemon = wholeGraph([DAEMON, SERVER, KEYS]).files

  const named = [...files].filter((file) => ![ENTRY, REPORT, TOP].includes(file) && !daemon.has(file))
  const present = readdirSync(join(DIST, 'command')).filter((name) => name.endsWith('.js'))
  expect(files).toContain(DAEMON)
  expect(present.map((name) => `command/${name}`).toSorted()).toEqual(
    named.map((file) => relative(DIST, file)).toSorted(),
  )
})

test('what stands on the terminal before the seat is loaded comes from one small file and built-ins (SEAT-40)', () => {
  const text = readFileSync(join(DIST, 'cli', 'fast', 'top-fast.cjs'), 'utf8')
  const named = [...text.matchAll(/require\("([^"]+)"\)/g)].map(([, name]) => name ?? '')

  expect(named).not.toEqual([])
  expect(named.filter((name) => !name.startsWith('node:'))).toEqual([])
  expect(text.length).toBeLessThan(32_768)
})
