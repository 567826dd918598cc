/**
 * What the ring remembers of the sessions that commits name: a frame that tells of the commit, or any other frame of
 * that instrument around that time.
 *
 * @see memo §4; docs/runtimes.md §5.4
 */
import {
  listMember,
  objectOf,
  parseMembers,
  textMember,
  type JsonObject,
} from '../../core/text/json-object.ts'
import { commitsIn } from '../../protocol/board/commit-refs.ts'
import { KIND_NAMES } from '../../protocol/frame/kinds.ts'
import type { Commit } from './commits.ts'

/** What is remembered of one commit. */
export type Witness =
  /** A frame of that instrument names the commit. */
  | { readonly kind: 'told'; readonly frameId: string }
  /** That instrument said something else, so many milliseconds before or after. */
  | { readonly kind: 'near'; readonly frameId: string; readonly apartMs: number }
  /** The ring goes back that far, and that instrument said nothing around that time. */
  | { readonly kind: 'silent' }
  /** The ring does not hold all of that time, or there was nobody to ask. */
  | { readonly kind: 'unknown' }

/** Who is looked for. */
export interface Sought {
  readonly commit: Commit
  readonly actedBy: string | undefined
  readonly draftedWith: readonly string[]
}

/** One page of what passed, the newest first. @param before - an event id, the end of the page before */
export type ReadPassed = (query: {
  readonly kind: string
  readonly limit: number
  readonly before: string | undefined
}) => Promise<string>

/** What "around that time" means, on either side. */
export const NEAR_MS = 600_000

/** Frames a page, and pages of one look: more than a ring of the default size holds. */
const PAGE_FRAMES = 1_000
const MAX_PAGES = 200

/** What of a frame counts here. */
interface Passed {
  readonly frameId: string
  readonly author: string
  readonly atMs: number
  readonly commits: readonly string[]
}

/** @returns for each of those sought, in their order, what is remembered */
export async function findWitnesses(
  sought: readonly Sought[],
  read: ReadPassed,
): Promise<readonly Witness[]> {
  const times = sought.flatMap(({ commit }) => [commit.authoredMs, commit.committedMs])
  const sinceMs = times.reduce((least, ms) => Math.min(least, ms), Number.POSITIVE_INFINITY) - NEAR_MS
  const { passed, fromMs } = await readSince(sinceMs, read)
  const told = new Map(passed.flatMap((one) => one.commits.map((sha) => [keyOf(one.author, sha), one])))
  const said = byAuthor(passed)
  return sought.map((one) => witnessOf(one, { told, said, fromMs }))
}

/** What was read of the ring. */
interface Memory {
  /** By author and commit. */
  readonly told: ReadonlyMap<string, Passed>
  /** By author, the newest first. */
  readonly said: ReadonlyMap<string, readonly Passed[]>
  readonly fromMs: number
}

function witnessOf({ commit, actedBy, draftedWith }: Sought, { told, said, fromMs }: Memory): Witness {
  const authors = draftedWith.map((instrument) => keyOf(actedBy ?? '', instrument))
  for (const author of authors) {
    const frame = told.get(keyOf(author, commit.sha))
    if (frame !== undefined) return { kind: 'told', frameId: frame.frameId }
  }
  const times = [commit.authoredMs, commit.committedMs]
  const nearest = authors
    .flatMap((author) => times.map((atMs) => findNearest(said.get(author) ?? [], atMs)))
    .filter((near) => near !== undefined)
    .toSorted((a, b) => a.apartMs - b.apartMs)[0]
  if (nearest !== undefined && nearest.apartMs <= NEAR_MS) return { kind: 'near', ...nearest }
  return { kind: commit.committedMs - NEAR_MS < fromMs ? 'unknown' : 'silent' }
}

/** By halves: a history may be as long as the ring. @param said - the newest first */
function findNearest(
  said: readonly Passed[],
  atMs: number,
): { readonly frameId: string; readonly apartMs: number } | undefined {
  let [low, high] = [0, said.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((said[middle]?.atMs ?? 0) > atMs) low = middle + 1
    else high = middle
  }
  return [said[low - 1], said[low]]
    .flatMap((one) =>
      one === undefined ? [] : [{ frameId: one.frameId, apartMs: Math.abs(one.atMs - atMs) }],
    )
    .toSorted((a, b) => a.apartMs - b.apartMs)[0]
}

/** @returns what passed since, the newest first, and from when on nothing is missing */
async function readSince(
  sinceMs: number,
  read: ReadPassed,
): Promise<{ readonly passed: readonly Passed[]; readonly fromMs: number }> {
  const passed: Passed[] = []
  let before: string | undefined
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const reply = parseMembers(await read({ kind: KIND_NAMES.join(','), limit: PAGE_FRAMES, before })) ?? {}
    const items = listMember(reply, 'items').map((item) => toPassed(objectOf(item)))
    passed.push(...items.filter((item) => item !== undefined))
    before = textMember(reply, 'next')
    const oldestMs = passed.at(-1)?.atMs
    if (before === undefined || (oldestMs !== undefined && oldestMs < sinceMs)) break
  }
  return { passed, fromMs: passed.at(-1)?.atMs ?? Number.POSITIVE_INFINITY }
}

function toPassed(item: JsonObject): Passed | undefined {
  const frame = objectOf(item['frame'])
  const frameId = textMember(frame, 'frame_id')
  const atMs = Date.parse(textMember(item, 'accepted_at') ?? '')
  if (frameId === undefined || Number.isNaN(atMs)) return undefined
  const author = keyOf(textMember(frame, 'acted_by') ?? '', textMember(frame, 'drafted_with') ?? '')
  const commits = commitsIn(listMember(objectOf(frame['payload']), 'refs'))
  return { frameId, author, atMs, commits }
}

function byAuthor(passed: readonly Passed[]): ReadonlyMap<string, readonly Passed[]> {
  const found = new Map<string, Passed[]>()
  for (const one of passed) {
    const known = found.get(one.author)
    if (known === undefined) found.set(one.author, [one])
    else known.push(one)
  }
  return found
}

/** No handle and no commit has a space. */
function keyOf(one: string, other: string): string {
  return `${one} ${other}`
}
