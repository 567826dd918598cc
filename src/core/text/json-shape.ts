/**
 * What a JSON text looks like without its values: how deep it goes, how many members it names, and whether it
 * is written in the plainest way.
 *
 * One pass over the characters, never recursive: a hostile text costs its length and no more. Walking the
 * parsed value for the same costs ten times as much where it has half a million arrays.
 */

import { MAX_JSON_PARTS, MAX_JSON_VALUES } from '../limits.ts'

/** What one pass over a text finds. */
export interface JsonShape {
  /** Containers inside one another at the deepest place; 0 for a bare value. */
  readonly depth: number
  /** Members of all objects together, one that is named twice counted twice. */
  readonly members: number
  /** Arrays and objects. */
  readonly containers: number
  /** Commas between tokens; there are as many values as those and containers together, or fewer. */
  readonly commas: number
  /**
   * No white space between tokens, no escapes, numbers of digits alone: `JSON.stringify` would write the same,
   * where no integer is beyond what a double holds and no name is an array index.
   */
  readonly isPlain: boolean
}

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const SPACE = 0x20
const MINUS = 0x2d
const POINT = 0x2e
const NINE = 0x39
const UPPER_E = 0x45
const LOWER_E = 0x65
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/** @param text - JSON; for anything else the answer means nothing, and costs no more */
export function readJsonShape(text: string): JsonShape {
  const hasEscapes = text.includes('\\')
  let isPlain = !hasEscapes
  let depth = 0
  let deepest = 0
  let members = 0
  let containers = 0
  let commas = 0
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i)
    if (unit === QUOTE) {
      const end = hasEscapes ? endOfString(text, i) : text.indexOf('"', i + 1)
      if (end === -1) break
      i = end
    } else if (unit === OPEN_OBJECT || unit === OPEN_ARRAY) {
      containers += 1
      depth += 1
      if (depth > deepest) deepest = depth
    } else if (unit === CLOSE_OBJECT || unit === CLOSE_ARRAY) depth -= 1
    else if (unit === COLON) members += 1
    else if (unit === COMMA) commas += 1
    else if (isPlain) isPlain = isPlainAt(text, i)
  }
  return { depth: deepest, members, containers, commas, isPlain }
}

/** Of numbers, words and white space: whether one is as `JSON.stringify` would have it. */
function isPlainAt(text: string, i: number): boolean {
  const unit = text.charCodeAt(i)
  if (unit <= SPACE || unit === MINUS || unit === POINT || unit === UPPER_E) return false
  // The `e` of `true` and `false` does not follow a digit.
  return unit !== LOWER_E || text.charCodeAt(i - 1) > NINE
}

/**
 * Whether a parsed value has as many members as its text names, which it has not when one of them was named
 * twice.
 *
 * What lies nearer to the top is counted first, and nothing is looked into once all have been found: most
 * hostile texts nest what has no members.
 */
export function hasMembers(value: unknown, members: number): boolean {
  let found = 0
  const queue: Container[] = isContainer(value) ? [value] : []
  // Grows while it is walked.
  for (const container of queue) {
    if (found >= members) break
    found += countMembers(container, queue)
  }
  return found === members
}

type Container = Readonly<Record<string, unknown>> | readonly unknown[]

/** Counts an object's own members, and queues the containers in it. */
function countMembers(container: Container, queue: Container[]): number {
  if (isArray(container)) {
    for (const part of container) if (isContainer(part)) queue.push(part)
    return 0
  }
  let members = 0
  // What `JSON.parse` made inherits nothing that can be enumerated, and a list of its names would cost more.
  for (const name in container) {
    members += 1
    const part = container[name]
    if (isContainer(part)) queue.push(part)
  }
  return members
}

function isContainer(value: unknown): value is Container {
  return typeof value === 'object' && value !== null
}

function isArray(container: Container): container is readonly unknown[] {
  return Array.isArray(container)
}

/** @returns the index of the quote that ends the string which begins at another; -1 when nothing ends it */
export function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); ; end = text.indexOf('"', end + 1)) {
    let escapes = 0
    while (text.charAt(end - 1 - escapes) === '\\') escapes += 1
    if (escapes % 2 === 0) return end
  }
}

/** Whether a text costs more to read than its length says (HD-10). */
export function hasTooManyParts({ containers, members, commas }: JsonShape, reserved = 0): boolean {
  return containers + members > MAX_JSON_PARTS - reserved || containers + commas > MAX_JSON_VALUES - reserved
}
