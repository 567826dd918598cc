/**
 * The mutants of a source file, found in its syntax tree.
 */
import { createHash } from 'node:crypto'
import { readFileSync, readdirSync } from 'node:fs'
import { parseSync } from 'oxc-parser'
import { changesAt } from './operators.mjs'

/** Types are gone when the code runs; only these wrap something that is not. */
const TRANSPARENT = new Set(['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression'])

/** The `.ts` files under a folder, or the file itself; paths as they are given. */
export function filesOf(path) {
  if (path.endsWith('.ts')) return [path]
  return readdirSync(path, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => `${entry.parentPath}/${entry.name}`)
    .toSorted()
}

/**
 * Every mutant of a file, from its top to its bottom.
 *
 * @returns objects with `file`, `line`, `start`, `end`, `text`, `what`, `was`, and an `id` that is another one when
 *   the file is
 */
export function mutantsOf(file) {
  const source = readFileSync(file, 'utf8')
  const { program, errors } = parseSync(file, source)
  if (errors.length > 0) throw new Error(`${file} cannot be parsed: ${errors[0].message}`)
  const digest = createHash('sha256').update(source).digest('hex').slice(0, 12)
  return [...changesUnder(program, source)].map((change) => ({
    ...change,
    file,
    line: source.slice(0, change.start).split('\n').length,
    was: source.slice(change.start, change.end).trim().split('\n')[0],
    id: `${file} ${digest} ${change.start} ${change.end} ${change.text}`,
  }))
}

function* changesUnder(node, source) {
  if (Array.isArray(node)) {
    for (const one of node) yield* changesUnder(one, source)
    return
  }
  if (node === null || typeof node !== 'object' || !isCode(node)) return
  yield* changesAt(node, source)
  for (const [name, value] of Object.entries(node)) if (name !== 'type') yield* changesUnder(value, source)
}

function isCode({ type }) {
  if (type === 'ImportDeclaration' || type === 'ExportAllDeclaration') return false
  return typeof type !== 'string' || !type.startsWith('TS') || TRANSPARENT.has(type)
}
