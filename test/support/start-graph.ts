/**
 * What a bundled entry loads, read off the files as the bundler has written them.
 */
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

export const DIST = join(import.meta.dirname, '..', '..', 'dist')

/** Statements, as the bundler writes them, without blanks, and as the compiler does. */
const STATIC = /(?<=^|[;\n])(?:import|export)(?:[\s*{][^"'`;()]*?from)?\s?["']([^"']+)["']/g
const DYNAMIC = /\bimport\(["']([^"']+)["']\)/g

/** Names that the package has for files of its own (`imports` of package.json). */
const OWN: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(join(DIST, '..', 'package.json'), 'utf8'),
).imports

/** Files, the entry among them, and the packages that are named on the way. */
export interface StartGraph {
  readonly files: ReadonlySet<string>
  readonly packages: ReadonlySet<string>
}

/** @returns what is named on demand by a file */
export function onDemandOf(path: string): readonly string[] {
  return specifiersOf(path, DYNAMIC)
}

/** Everything that is loaded before the first line runs. */
export function startGraph(entry: string): StartGraph {
  return reach([entry], (path) => specifiersOf(path, STATIC))
}

/** Everything that is ever loaded. */
export function wholeGraph(entries: readonly string[]): StartGraph {
  return reach(entries, (path) => [...specifiersOf(path, STATIC), ...specifiersOf(path, DYNAMIC)])
}

function reach(entries: readonly string[], namedBy: (path: string) => readonly string[]): StartGraph {
  const files = new Set(entries)
  const packages = new Set<string>()
  for (const file of files) {
    for (const specifier of namedBy(file)) {
      // What a bundle leaves out stays the source it is, and is never loaded (`bundle.mjs`).
      if (specifier.endsWith('.ts')) continue
      const own = OWN[specifier]
      if (own !== undefined) files.add(join(DIST, '..', own))
      else if (specifier.startsWith('.')) files.add(join(dirname(file), specifier))
      else if (!specifier.startsWith('node:')) packages.add(specifier)
    }
  }
  return { files, packages }
}

function specifiersOf(path: string, form: RegExp): string[] {
  return [...readFileSync(path, 'utf8').matchAll(form)].map(([, from]) => from ?? '')
}
