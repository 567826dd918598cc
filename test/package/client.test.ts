/**
 * The client as a package of its own: one file without dependencies, small, and quick to load (LB-03).
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { DIST, wholeGraph } from '../support/start-graph.ts'
import { createTempDir } from '../support/temp-dir.ts'

const CLIENT = join(DIST, 'agentd-client')
const ENTRY = join(CLIENT, 'index.js')

/** Of all that is installed, in octets. */
const MAX_INSTALLED = 300_000

/** Files, and parts of Node, that an import adds to a process. */
const MAX_LOADED = 5

const MANIFEST = JSON.parse(readFileSync(join(CLIENT, 'package.json'), 'utf8'))
const OWN = JSON.parse(readFileSync(join(DIST, '..', 'package.json'), 'utf8'))

test('it is one file and one beside it, without dependencies, and at most 300 KB (LB-03)', () => {
  const files = readdirSync(CLIENT)
  const sizes = files.map((name) => statSync(join(CLIENT, name)).size)
  const entries = ['index.js', 'aee.js']

  expect(files.filter((name) => name.endsWith('.js')).toSorted()).toEqual(entries.toSorted())
  expect(Object.keys(MANIFEST).filter((name) => /dependencies/i.test(name))).toEqual([])
  expect(wholeGraph(entries.map((name) => join(CLIENT, name))).packages).toEqual(new Set())
  expect(sizes.reduce((all, size) => all + size, 0)).toBeLessThanOrEqual(MAX_INSTALLED)
})

test('no zod is in it (LB-03)', () => {
  for (const name of ['index.js', 'aee.js'])
    expect(readFileSync(join(CLIENT, name), 'utf8')).not.toMatch(/ZodError|ZodString|\$ZodType/)
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
  const { files } = wholeGraph([ENTRY])

  expect(parts.length + files.size).toBeLessThanOrEqual(MAX_LOADED)
  expect(parts.join(' ')).not.toMatch(/http|crypto|stream|\bnet\b/)
})
