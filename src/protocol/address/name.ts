/**
 * The short name of a session: what a person calls it by, made from what it says of itself.
 *
 * Pure: here is which names it could have, in order; who keeps the roster knows which of them are taken. A name is the
 * body of a handle, so that it is never taken for a scope (`~…`), an address (`…@…`) or an entity (`….…`).
 *
 * @see docs/http.md §4
 */
import { MAX_NAME_CHARS } from '../../core/limits.ts'

/** What a name is made from. */
export interface NameFacts {
  readonly title?: string | undefined
  readonly tool: string
  readonly instrument: string
  readonly sessionId: string
}

/** A title that gives fewer letters says nothing. */
const LEAST_TITLE_CHARS = 2

/** What stands for the id of a session whose title gives no name: short, said as they are written, none like another. */
const WORDS = (
  'acorn agate alder amber anchor apple aspen badger bamboo basil beach beetle birch bison breeze brook ' +
  'butter cabin cactus camel canoe canyon carrot castle cedar cherry clover cobalt comet copper coral cotton ' +
  'crane cricket daisy dapple delta desert dingo dolphin dune eagle ebony echo ember falcon fennel fern ' +
  'fjord flint forest fossil galaxy garnet ginger glacier granite grove harbor hazel heron hickory honey indigo ' +
  'iris island ivory jasper jungle juniper kelp kettle kiwi lagoon lantern lava lemon lilac linen lotus ' +
  'lynx magnet mango maple marble meadow meteor mint monsoon moss nectar nickel nutmeg oasis ocean olive ' +
  'onyx opal orchid otter panda papaya pebble pepper pine plum pollen prairie pumpkin quartz quill raven ' +
  'ribbon river robin saffron salmon sandal sierra silver spruce summit sunset tango thistle timber tulip velvet ' +
  'walnut willow yarrow zebra zenith'
).split(' ')

/** Whether a text may be the name of a session: the body of a handle, and short. */
export function isName(text: string): boolean {
  return text.length <= MAX_NAME_CHARS && /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/.test(text)
}

/**
 * Names that a session could have, the best first: what its title says (`api-refactor`); or the instrument, where
 * somebody chose one (`reviewer`); or, for a runtime that only ever says which runtime it is, the tool and a word that
 * its id stands for (`cc-otter`), and behind it the other words. The same id gives the same word, whoever asks and when.
 */
export function* plainNames(facts: NameFacts): Generator<string> {
  const spoken = spokenName(facts)
  if (spoken !== undefined) yield spoken
  else for (let further = 0; further < WORDS.length; further += 1) yield nameOfWord(facts, further)
}

/** What a number is put behind when all of {@link plainNames} are taken. */
export function nameStem(facts: NameFacts): string {
  return spokenName(facts) ?? nameOfWord(facts, 0)
}

/** `api-refactor-2` */
export function numberedName(stem: string, number: number): string {
  const suffix = `-${number}`
  return `${cut(stem, MAX_NAME_CHARS - suffix.length)}${suffix}`
}

/**
 * A text in the letters of a name: `API refactor (draft)` is `api-refactor-draft`, cut behind a whole word where it is
 * too long.
 *
 * @returns undefined for a text that has next to none of these letters
 */
export function slugOf(text: string): string | undefined {
  const slug = text
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '')
  const short = cut(slug, MAX_NAME_CHARS)
  const lastWord = slug.length > short.length ? short.lastIndexOf('-') : -1
  // A first word that fills the name by itself is cut where it has to be.
  const name = lastWord >= MAX_NAME_CHARS / 2 && slug[short.length] !== '-' ? short.slice(0, lastWord) : short
  return name.length < LEAST_TITLE_CHARS || !/[a-z]/.test(name) ? undefined : name
}

function spokenName(facts: NameFacts): string | undefined {
  return slugOf(facts.title ?? '') ?? chosenName(facts)
}

/** The instrument, where it says more than the runtime: `reviewer`, and not the `cc-opus-4-6` of the tool `cc`. */
function chosenName({ instrument, tool }: NameFacts): string | undefined {
  if (instrument === tool || instrument.startsWith(`${tool}-`)) return undefined
  return cut(instrument, MAX_NAME_CHARS)
}

/** @param further - how many words behind its own */
function nameOfWord({ tool, sessionId }: NameFacts, further: number): string {
  const word = WORDS[(hashOf(sessionId) + further) % WORDS.length] ?? ''
  return `${cut(tool, MAX_NAME_CHARS - word.length - 1)}-${word}`
}

/** FNV-1a in 32 bits: spreads ids over the words, and protects nothing. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash >>> 0
}

/** The first letters, none of the hyphens at their end. */
function cut(text: string, most: number): string {
  return text.slice(0, most).replace(/-+$/, '')
}
