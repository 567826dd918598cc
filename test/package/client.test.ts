/**
 * The client as a package of its own: without dependencies, small, and quick to load (LB-03).
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ROUTES } from '../../src/protocol/routes/routes.ts'
import { DIST, onDemandOf, startGraph, wholeGraph } from '../support/start-graph.ts'
import { createTempDir } from '../support/temp-dir.ts'

const CLIENT = join(DIST, 'agentd-client')
const ENTRY = join(CLIENT, 'index.js')

/** Of all that is installed, in octets. */
const MAX_INSTALLED = 300_000

/** Files, and parts of Node, that an import adds to a process. */
const MAX_LOADED = 5

/** Of what an import reads, in octets: V8 reads all of it, whatever runs. */
const MAX_READ = 8_000

const MANIFEST = JSON.parse(readFileSync(join(CLIENT, 'package.json'), 'utf8'))
const OWN = JSON.parse(readFileSync(join(DIST, '..', 'package.json'), 'utf8'))

test('it is two entries and what they share, without dependencies, and at most 300 KB (LB-03)', () => {
  const files = readdirSync(CLIENT)
  const sizes = files.map((name) => statSync(join(CLIENT, name)).size)
  const parts = ['index.js', 'errors.js', 'client.js', 'aee.js']

  expect(files.filter((name) => name.endsWith('.js')).toSorted()).toEqual(parts.toSorted())
  expect(Object.keys(MANIFEST).filter((name) => /dependencies/i.test(name))).toEqual([])
  expect(wholeGraph(parts.map((name) => join(CLIENT, name))).packages).toEqual(new Set())
  expect(sizes.reduce((all, size) => all + size, 0)).toBeLessThanOrEqual(MAX_INSTALLED)
})

test('no zod is in it (LB-03)', () => {
  for (const name of ['index.js', 'errors.js', 'client.js', 'aee.js'])
    expect(readFileSync(join(CLIENT, name), 'utf8')).not.toMatch(/ZodError|ZodString|\$ZodType/)
})

test('of a route it has the way, and no word of what the daemon says about it (LB-03)', () => {
  const text = readFileSync(join(CLIENT, 'client.js'), 'utf8')
  const { path, summary } = ROUTES.openSession

  expect(text).toContain(path)
  expect(text).not.toContain(summary)
})

test('agentd-bus passes on the same files (LB-03)', () => {
  expect(MANIFEST).toMatchObject({ name: 'agentd-client', version: OWN.version, engines: OWN.engines })
  for (const entry of ['.', './aee']) {
    const { types, default: file } = OWN.exports[entry]
    const passedOn = [types, file].map((path: string) => path.replace('./dist/agentd-client', '.'))
    expect(passedOn).toEqual([MANIFEST.exports[entry].types, MANIFEST.exports[entry].default])
  }
})

test('an import adds at most five modules, and nothing that talks or signs (LB-03)', async () => {
  await using dir = await createTempDir()
  // What Node needs for any file is there by then.
  writeFileSync(dir.file('empty.mjs'), '')
  const program = `
    await import(${JSON.stringify(dir.file('empty.mjs'))})
    const before = new Set(process.moduleLoadList)
    await import(${JSON.stringify(ENTRY)})
    console.log(process.moduleLoadList.filter((name) => !before.has(name)).join('\\n'))`
  const text = execFileSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' })
  const parts = text
    .trim()
    .split('\n')
    .filter((name) => name !== '')
  const { files } = startGraph(ENTRY)

  expect(parts.length + files.size).toBeLessThanOrEqual(MAX_LOADED)
  expect(parts.join(' ')).not.toMatch(/http|crypto|stream|\bnet\b/)
})

test('an import reads a few kilobytes, and what is behind connect is loaded by it (LB-03)', () => {
  const { files } = startGraph(ENTRY)
  const octets = [...files].map((path) => statSync(path).size).reduce((all, size) => all + size, 0)

  expect(octets).toBeLessThanOrEqual(MAX_READ)
  expect(onDemandOf(ENTRY)).toContain('./client.js')
})

test('what signing throws is of the classes that the other entry shows, with code and member (LB-01)', async () => {
  const { AgentdError, AgentdRefusal } = await import(ENTRY)
  const { readKey } = await import(join(CLIENT, 'aee.js'))
  const thrown = await Promise.resolve('{}')
    .then(readKey)
    .catch((error: unknown) => error)

  expect(thrown).toBeInstanceOf(AgentdRefusal)
  expect(thrown).toBeInstanceOf(AgentdError)
  expect(thrown).toMatchObject({
    code: 'field-invalid',
    field: 'kid',
    message: expect.stringContaining('kid'),
  })
  expect(String(thrown instanceof Error && thrown.stack)).toMatch(/^AgentdError: /)
})
