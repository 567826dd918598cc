/**
 * The command tree as the tables that the scripts of all shells are made of. A place is a path with a blank before each
 * word: ` envelope send`; an option's is that and its name, an argument's that and `#` and its number.
 */
import type { AskedSource } from './sources.ts'
import type { CommandWord, Values } from './words.ts'

/** ` service install`: how a path is written in the scripts. */
export function placeOf(path: readonly string[]): string {
  return path.map((name) => ` ${name}`).join('')
}

/** Every path but that of the program itself. */
export function placesOf(words: readonly CommandWord[]): readonly string[] {
  return words.map(({ path }) => placeOf(path)).filter((place) => place !== '')
}

/** Options behind which the next word is a value, always or where it begins with no dash. */
export function valuedPlaces(words: readonly CommandWord[], takes: 'value' | 'perhaps'): readonly string[] {
  return words.flatMap(({ path, options }) =>
    options.filter((option) => option.takes === takes).map(({ name }) => `${placeOf(path)} ${name}`),
  )
}

/** Where values are known: the places that share them. */
export interface ValueRow extends Values {
  readonly places: readonly string[]
}

/** A further word of a variadic argument has the number of the last. */
export function valueRows(words: readonly CommandWord[]): readonly ValueRow[] {
  const rows = new Map<string, ValueRow>()
  for (const { path, options, args } of words) {
    const place = placeOf(path)
    for (const option of options) add(rows, `${place} ${option.name}`, option)
    for (const [i, argument] of args.entries()) add(rows, `${place}#${i}`, argument)
  }
  return [...rows.values()]
}

/** Paths whose last argument takes every further word, and its number. */
export function variadicPlaces(words: readonly CommandWord[]): readonly (readonly [string, number])[] {
  return words
    .filter(({ args }) => args.at(-1)?.isVariadic === true)
    .map(({ path, args }) => [placeOf(path), args.length - 1])
}

function add(rows: Map<string, ValueRow>, place: string, { words, asked }: Values): void {
  if (words.length === 0 && asked === undefined) return
  const key = `${asked ?? ''} ${words.join(' ')}`
  const row = rows.get(key)
  rows.set(key, { words, asked, places: [...(row?.places ?? []), place] })
}

/** The command that a script asks: a program of the path and never of the folder somebody is in. */
export function askWords(source: AskedSource): string {
  return `command agentd complete ${source} </dev/null 2>/dev/null`
}
