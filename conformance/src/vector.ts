/**
 * A vector: one thing an implementation is asked, what it may answer, and the sentence of a draft that says so.
 */
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { isJsonObject, parseObject, readTexts, requireText, type JsonObject } from './json.ts'

/**
 * Where an expectation comes from. `text`: the draft says it. `local`: our documented choice where the draft says
 * nothing. `open`: the draft can be read in several ways, and the answer is reported and never counted as a fault.
 */
export const BASES = ['text', 'local', 'open'] as const
export type Basis = (typeof BASES)[number]

/** How binding the sentence is: without it or with MUST, with SHOULD, with MAY. Only `must` counts as a fault. */
export const LEVELS = ['must', 'should', 'may'] as const
export type Level = (typeof LEVELS)[number]

/** One line of a file of vectors. */
export interface Vector {
  /** Unique over all files. */
  readonly id: string
  /** `memo`, `aee`, or the name of a companion document. */
  readonly draft: string
  /** Section of that draft, as `5.1`. */
  readonly section: string
  /** Ids of the requirements it shows, in the numbering of agentd's docs/requirements.md. */
  readonly clauses: readonly string[]
  /** The sentence it comes from, in the draft's words. */
  readonly sentence: string
  readonly basis: Basis
  readonly level: Level
  /** Forms an implementation may decline, such as `org` and `accord`. */
  readonly topics: readonly string[]
  /** What is asked; the members of `input` are those of the operation. */
  readonly op: string
  readonly input: JsonObject
  /** Answers that pass, any of them. */
  readonly expect: readonly JsonObject[]
}

/** Samples that vectors are variations of: `frames` by kind, `envelopes` by name. */
export interface Samples {
  readonly frames: JsonObject
  readonly envelopes: JsonObject
}

/** @throws TypeError naming the line that is no vector */
export function readVectors(folder: string): readonly Vector[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.jsonl'))
  return names.toSorted().flatMap((name) => {
    const lines = readFileSync(join(folder, name), 'utf8').split('\n')
    return lines.flatMap((line, at) => (line === '' ? [] : [readLine(line, `${name}:${at + 1}`)]))
  })
}

/** @throws TypeError when `samples.json` is not what it has to be */
export function readSamples(folder: string): Samples {
  const { frames, envelopes } = parseObject(readFileSync(join(folder, 'samples.json'), 'utf8'))
  if (isJsonObject(frames) && isJsonObject(envelopes)) return { frames, envelopes }
  throw new TypeError('samples.json must hold "frames" and "envelopes"')
}

function readLine(line: string, where: string): Vector {
  try {
    return toVector(parseObject(line))
  } catch (error) {
    throw new TypeError(`${where}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    })
  }
}

function toVector(object: JsonObject): Vector {
  const { input, expect } = object
  const expected = (Array.isArray(expect) ? expect : [expect]).filter(isJsonObject)
  if (!isJsonObject(input) || expected.length === 0) throw new TypeError('"input" and "expect" are objects')
  return {
    id: requireText(object, 'id'),
    draft: requireText(object, 'draft'),
    section: requireText(object, 'section'),
    clauses: readTexts(object, 'clauses'),
    sentence: requireText(object, 'sentence'),
    basis: oneOf(BASES, requireText(object, 'basis'), 'basis'),
    level: oneOf(LEVELS, object['level'] ?? 'must', 'level'),
    topics: readTexts(object, 'topics'),
    op: requireText(object, 'op'),
    input,
    expect: expected,
  }
}

function oneOf<T extends string>(values: readonly T[], value: unknown, name: string): T {
  const found = values.find((one) => one === value)
  if (found === undefined) throw new TypeError(`"${name}" must be one of ${values.join(', ')}`)
  return found
}
