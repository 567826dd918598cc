/**
 * What the daemon starts from: files of its own and of Node, and nothing that has to be found among the packages
 * before the first answer.
 *
 * @see bundle.mjs; P-10
 */
import { copyFileSync, cpSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { startTestDaemon } from '../support/daemon.ts'
import { request } from '../support/http.ts'
import { DIST, onDemandOf, startGraph, wholeGraph } from '../support/start-graph.ts'
import { createTempDir } from '../support/temp-dir.ts'

const ENTRY = join(DIST, 'daemon', 'main.js')

/** What is with zod, in a bundle of its own, of which the daemon loads what somebody asks for: tools, and what describes the wire. */
const IN_DAEMON = [
  join(DIST, 'daemon', 'serving', 'tools.js'),
  join(DIST, 'server', 'documents', 'openapi.js'),
]
const TOOLS = [...IN_DAEMON, join(DIST, 'mcp', 'serve.js'), join(DIST, 'host', 'config', 'config-keys.js')]

/** `imports` of package.json. */
const ZOD = join(DIST, 'tools', 'zod.js')

/** What the entry loads as soon as it knows that it can (HD-17). */
function runOf(entry: string): string {
  const [run = ''] = [...onDemandOf(entry)].filter((name) => name.startsWith('.'))
  return join(entry, '..', run)
}

/** Both graphs of a start. */
function graphOfStart() {
  const graphs = [startGraph(ENTRY), startGraph(runOf(ENTRY))]
  return {
    files: new Set(graphs.flatMap(({ files }) => [...files])),
    packages: new Set(graphs.flatMap(({ packages }) => [...packages])),
  }
}

test('the daemon starts from its entry and the parts beside it, and finds no package first (P-10)', () => {
  const { files, packages } = graphOfStart()

  const places = [...files].map((file) => relative(DIST, file)).filter((file) => file !== 'daemon/main.js')
  expect([...packages]).toEqual([])
  expect(places.filter((file) => !/^bundle\/[\w-]+\.js$/.test(file))).toEqual([])
  expect(places.length).toBeGreaterThan(0)
  expect(places.length).toBeLessThan(20)
})

test('before it knows that the rest can be loaded, the daemon loads five files at the most (HD-17)', () => {
  expect(startGraph(ENTRY).files.size).toBeLessThanOrEqual(5)
})

test('every part is there, and no part of an earlier build', () => {
  const apart = new Set(wholeGraph(TOOLS).files)
  const named = [...wholeGraph([ENTRY]).files].filter((file) => file !== ENTRY && !apart.has(file))

  const present = readdirSync(join(DIST, 'bundle')).filter((name) => name.endsWith('.js'))
  expect(present.map((name) => `bundle/${name}`).toSorted()).toEqual(
    named.map((file) => relative(DIST, file)).toSorted(),
  )
})

test('what is with zod is loaded on demand, from parts of its own, and finds no package (OP-08, P-21)', () => {
  const { files } = graphOfStart()
  const { files: parts } = wholeGraph(TOOLS)

  expect([...files].filter((file) => parts.has(file))).toEqual([])
  expect([...wholeGraph([ENTRY]).files]).toEqual(expect.arrayContaining(IN_DAEMON))
  for (const entry of TOOLS) expect([...startGraph(entry).files], entry).toContain(ZOD)
  expect(TOOLS.flatMap((entry) => [...startGraph(entry).packages])).toEqual([])
  const present = readdirSync(join(DIST, 'tools')).filter((name) => name.endsWith('.js'))
  expect(present.map((name) => `tools/${name}`).toSorted()).toEqual(
    [...parts]
      .filter((file) => !TOOLS.includes(file))
      .map((file) => relative(DIST, file))
      .toSorted(),
  )
})

test('the tools come without the validator of JSON Schema that a server of MCP has for forms', () => {
  const parts = [...wholeGraph(TOOLS).files].map((file) => readFileSync(file, 'utf8'))

  expect(parts.filter((text) => text.includes('agentd sends no forms'))).toHaveLength(1)
  expect(parts.filter((text) => /ajv/i.test(text))).toEqual([])
})

test('what may be missing is asked for when it is needed (R-26)', () => {
  const { files } = graphOfStart()

  const asked = new Set([...files].flatMap((file) => onDemandOf(file)))

  expect([...asked].filter((name) => !name.startsWith('.')).toSorted()).toEqual(
    expect.arrayContaining(['better-sqlite3', 'koffi']),
  )
})

test('what a stack trace shows, functions and classes, is called in the daemon as in the sources; variables are short', () => {
  const places = ['src', 'node_modules/ulid/dist']
  const sources = places.map((name) => textsBelow(join(DIST, '..', name), /\.[jt]s$/)).join('\n')
  const known = new Set(
    [...sources.matchAll(/\b(?:class|function\*?) ([\w$]+)/g)].map(([, name = '']) =>
      name.replace(/\d+$/, ''),
    ),
  )
  const bundles = textsBelow(join(DIST, 'bundle'), /\.js$/)
  const found = [...bundles.matchAll(/(?<![\w$.])(?:([\w$]+)=class\b|(?:class|function\*?) ([\w$]+)\b)/g)]

  // The bundler numbers what two files call the same, and has helpers of its own.
  const names = new Set(found.map(([, one, two]) => (one ?? two ?? '').replace(/^_(?!_)|\d+$/g, '')))
  expect(names.size).toBeGreaterThan(500)
  expect([...names].filter((name) => !known.has(name) && !name.startsWith('__'))).toEqual([])
  const long = [
    ...bundles.matchAll(/(?<![\w$.])(?:let|const|var) ([\w$]{4,})=(?!class\b|async\b|\(|[\w$]+=>)/g),
  ]
  expect(long.map(([, name]) => name)).toEqual([])
})

function textsBelow(folder: string, named: RegExp): string {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => named.test(name))
  return files.map((name) => readFileSync(join(folder, name), 'utf8')).join('\n')
}

test('a daemon whose parts were replaced under it says so where it needs one, and stays', async () => {
  await using dir = await createTempDir()
  cpSync(DIST, dir.file('dist'), { recursive: true })
  copyFileSync(join(DIST, '..', 'package.json'), dir.file('package.json'))
  symlinkSync(join(DIST, '..', 'node_modules'), dir.file('node_modules'))
  await using daemon = await startTestDaemon({ entry: dir.file('dist', 'daemon', 'main.js') })
  const { status: before } = (await request(daemon.socket, '/v1/health')).body
  for (const parts of ['bundle', 'tools']) rmSync(dir.file('dist', parts), { recursive: true })

  for (const path of ['/v1/schemas/frame', '/v1/openapi.json', '/v1/hooks/codex', '/v1/hooks/codex']) {
    const { status, headers, body } = await request(daemon.socket, path)
    expect([path, status, body.code, headers['retry-after']]).toEqual([path, 503, 'busy', '1'])
    expect(body.message).toContain('agentd stop')
  }
  expect((await request(daemon.socket, '/v1/health')).body.status).toBe(before)
  expect((await daemon.stop()).code).toBe(0)
})
