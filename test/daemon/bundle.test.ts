/**
 * What the daemon starts from: files of its own and of Node, and nothing that has to be found among the packages
 * before the first answer.
 *
 * @see bundle.mjs; P-10
 */
import { copyFileSync, cpSync, readFileSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { startTestDaemon } from '../support/daemon.ts'
import { request } from '../support/http.ts'
import { createTempDir } from '../support/temp-dir.ts'

const DIST = join(import.meta.dirname, '..', '..', 'dist')
const ENTRY = join(DIST, 'daemon', 'main.js')

/** Statements at the beginning of a line, as the bundler writes them. */
const STATIC = /^(?:import|export)\s[^;]*?from "([^"]+)";|^import "([^"]+)";/gm
const DYNAMIC = /\bimport\("([^"]+)"\)/g

function specifiersOf(path: string, form: RegExp): string[] {
  return [...readFileSync(path, 'utf8').matchAll(form)].map(([, from, bare]) => from ?? bare ?? '')
}

/** Everything that is loaded before the first line runs, and what is named on the way. */
function startGraph(): { files: ReadonlySet<string>; packages: readonly string[] } {
  const files = new Set([ENTRY])
  const packages: string[] = []
  for (const file of files) {
    for (const specifier of specifiersOf(file, STATIC)) {
      if (specifier.startsWith('.')) files.add(join(dirname(file), specifier))
      else if (!specifier.startsWith('node:')) packages.push(specifier)
    }
  }
  return { files, packages }
}

test('the daemon starts from its entry and the parts beside it, and finds no package first (P-10)', () => {
  const { files, packages } = startGraph()

  const places = [...files].map((file) => relative(DIST, file)).filter((file) => file !== 'daemon/main.js')
  expect(packages).toEqual([])
  expect(places.filter((file) => !/^bundle\/[\w-]+\.js$/.test(file))).toEqual([])
  expect(places.length).toBeGreaterThan(0)
  expect(places.length).toBeLessThan(20)
})

test('every part is there, and no part of an earlier build', () => {
  const named = new Set<string>()
  const files = new Set([ENTRY])
  for (const file of files) {
    for (const specifier of [...specifiersOf(file, STATIC), ...specifiersOf(file, DYNAMIC)]) {
      if (!specifier.startsWith('.')) continue
      const path = join(dirname(file), specifier)
      files.add(path)
      named.add(relative(DIST, path))
    }
  }

  const present = readdirSync(join(DIST, 'bundle')).filter((name) => name.endsWith('.js'))
  expect(present.map((name) => `bundle/${name}`).toSorted()).toEqual([...named].toSorted())
})

test('what may be missing is asked for when it is needed (R-26)', () => {
  const { files } = startGraph()

  const asked = new Set([...files].flatMap((file) => specifiersOf(file, DYNAMIC)))

  expect([...asked].filter((name) => !name.startsWith('.')).toSorted()).toEqual(
    expect.arrayContaining(['better-sqlite3', 'koffi']),
  )
})

test('a daemon whose parts were replaced under it says so where it needs one, and stays', async () => {
  await using dir = await createTempDir()
  cpSync(DIST, dir.file('dist'), { recursive: true })
  copyFileSync(join(DIST, '..', 'package.json'), dir.file('package.json'))
  symlinkSync(join(DIST, '..', 'node_modules'), dir.file('node_modules'))
  await using daemon = await startTestDaemon({ entry: dir.file('dist', 'daemon', 'main.js') })
  rmSync(dir.file('dist', 'bundle'), { recursive: true })

  for (const path of ['/v1/schemas/frame', '/v1/openapi.json']) {
    const { status, headers, body } = await request(daemon.socket, path)
    expect([path, status, body.code, headers['retry-after']]).toEqual([path, 503, 'busy', '1'])
    expect(body.message).toContain('agentd stop')
  }
  expect((await request(daemon.socket, '/v1/health')).body.status).toBe('healthy')
  expect((await daemon.stop()).code).toBe(0)
})
