/**
 * What is shipped: every file that the library, the command or the daemon ever loads (`files` of package.json), the types
 * a program that uses the library is checked against, and no folder of which nothing is either.
 */
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { DIST, wholeGraph } from '../support/start-graph.ts'

/** Folders and files of `files`, as they stand under the package. */
const SHIPPED = readShipped()

function readShipped(): readonly string[] {
  const manifest: unknown = JSON.parse(readFileSync(join(DIST, '..', 'package.json'), 'utf8'))
  const files: unknown = manifest instanceof Object ? Reflect.get(manifest, 'files') : []
  return Array.isArray(files) ? files.map(String) : []
}

const ENTRIES = [
  'agentd-client/aee.js',
  'agentd-client/index.js',
  'cli/main.js',
  'cli/run/report.js',
  'daemon/main.js',
]

/** Loaded by name, read as text or run by a shell: no import names it. */
const UNNAMED = /^dist\/(?:bridge|cli\/fast\/\*\.cjs|daemon|man|mcp|runtimes|schemas|tools|ui)\b/

function isShipped(file: string): boolean {
  const isWithin = (place: string): boolean => file === place || file.startsWith(`${place}/`)
  return SHIPPED.some(isWithin) && !SHIPPED.some((place) => place.startsWith('!') && isWithin(place.slice(1)))
}

function loadedBy(entries: readonly string[]): string[] {
  const { files } = wholeGraph(entries.map((entry) => join(DIST, entry)))
  return [...files].map((file) => `dist/${relative(DIST, file)}`)
}

/** The declarations that those of the library name, one by one. */
function typesOfLibrary(): string[] {
  const files = new Set([join(DIST, 'agentd-client/index.d.ts'), join(DIST, 'agentd-client/aee.d.ts')])
  for (const file of files) {
    for (const [, named = ''] of readFileSync(file, 'utf8').matchAll(
      /(?:from |import\()["'](\.[^"']+)["']/g,
    )) {
      files.add(join(dirname(file), named.replace(/\.(?:ts|js)$/, '.d.ts')))
    }
  }
  return [...files].map((file) => `dist/${relative(DIST, file)}`)
}

test.each(ENTRIES.map((entry) => [entry]))('everything that dist/%s loads is in the package', (entry) => {
  const loaded = loadedBy([entry])

  expect(loaded.filter((file) => !isShipped(file))).toEqual([])
  expect(loaded.length).toBeGreaterThan(1)
})

test('every declaration that the types of the library name is in the package', () => {
  const types = typesOfLibrary()

  expect(types.filter((file) => !existsSync(join(DIST, '..', file)) || !isShipped(file))).toEqual([])
  expect(types.length).toBe(2)
})

test('no place is shipped of which nothing is loaded and nothing is named by a type', () => {
  const used = [...loadedBy(ENTRIES), ...typesOfLibrary()]
  const idle = SHIPPED.filter((place) => place.startsWith('dist/') && !UNNAMED.test(place)).flatMap(foldersOf)

  expect(
    idle.filter((place) => !used.some((file) => file === place || file.startsWith(`${place}/`))),
  ).toEqual([])
})

/** A place and, where it is a folder, the folders in it. */
function foldersOf(place: string): string[] {
  const path = join(DIST, '..', place)
  if (!statSync(path).isDirectory()) return [place]
  const inside = readdirSync(path, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  const folders = inside.map(({ name }) => `${place}/${name}`).filter(isShipped)
  return [place, ...folders.flatMap(foldersOf)]
}
