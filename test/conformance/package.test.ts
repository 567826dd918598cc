/**
 * The package `agentd-conformance` as the build makes it, and the rules its sources keep.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { createTempDir } from '../support/temp-dir.ts'
import { PACKAGE, VECTORS } from './kit.ts'

const SOURCES = join(VECTORS, '..', 'src')

/** A package that is downloaded for one run of it. */
const MAX_PACKED_OCTETS = 150_000

const Packed = z.tuple([z.object({ size: z.number(), files: z.array(z.object({ path: z.string() })) })])

test('the package is one file and its vectors, small, without dependencies (PD-14)', async () => {
  await using dir = await createTempDir()
  const manifest: unknown = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8'))
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', dir.path]
  const [packed] = Packed.parse(JSON.parse(execFileSync('npm', args, { cwd: PACKAGE, encoding: 'utf8' })))

  expect(manifest).not.toHaveProperty('dependencies')
  expect(manifest).toHaveProperty('bin', { 'agentd-conformance': 'main.js' })
  const code = packed.files.map(({ path }) => path).filter((path) => !path.startsWith('vectors/'))
  expect(code.toSorted()).toEqual(['LICENSE', 'README.md', 'main.js', 'package.json'])
  expect(packed.files.length - code.length).toBe(readdirSync(VECTORS).length)
  expect(packed.size).toBeLessThan(MAX_PACKED_OCTETS)
})

test('it runs from a folder where there is nothing else (PD-14)', async () => {
  await using dir = await createTempDir()
  cpSync(PACKAGE, dir.file('kit'), { recursive: true })

  const listed = execFileSync(process.execPath, [dir.file('kit', 'main.js'), '--list'], {
    cwd: dir.path,
    encoding: 'utf8',
  })

  expect(listed.split('\n').length).toBeGreaterThan(1_200)
})

test('its sources import Node and one another, and no file of them is over 250 lines (PD-14)', () => {
  const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  )
  const texts = files.map((name) => ({ name, text: readFileSync(join(SOURCES, name), 'utf8') }))
  const foreign = texts.flatMap(({ name, text }) =>
    [...text.matchAll(/^import .*? from '([^']+)'|^\} from '([^']+)'/gm)]
      .map(([, one, other]) => String(one ?? other))
      .filter((specifier) => !/^(?:node:|\.\/|\.\.\/[a-z])/.test(specifier))
      .map((specifier) => `${name}: ${specifier}`),
  )

  expect(files.length).toBeGreaterThan(10)
  expect(foreign).toEqual([])
  expect(texts.filter(({ text }) => text.split('\n').length > 251).map(({ name }) => name)).toEqual([])
})
