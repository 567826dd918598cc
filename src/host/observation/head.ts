/**
 * What is checked out in a worktree, and how it came to be: read from the files of git, without asking it.
 *
 * @see gitrepository-layout(5)
 */
import { join } from 'node:path'
import { peekFile, type Peeked } from '../peek.ts'
import type { Seen, Unseen } from './unseen.ts'

/** What is checked out. */
export interface ObservedHead {
  /** Undefined for a detached head, and where it could not be read. */
  readonly branch: string | undefined
  /** Undefined before the first commit, and where it could not be read. */
  readonly commit: string | undefined
  /** Its last movement, as git noted it; undefined where it keeps no log. */
  readonly moved: HeadMove | undefined
}

/** One movement of a head, as git noted it. Who asked git for it is not in there. */
export interface HeadMove {
  /** Wall time in milliseconds, of whole seconds. */
  readonly atMs: number
  readonly from: string
  readonly to: string
  /** In git's own words, which may hold those of whoever wrote a commit: `checkout: moving from main to fix`. */
  readonly what: string
}

/** `HEAD` and a ref hold a line; of the log the end counts, and packed refs are as long as a repository is old. */
const LINE = { most: 8_192 }
export const MAX_HEAD_LOG_BYTES = 16_384
export const MAX_PACKED_REFS_BYTES = 4_194_304

const COMMIT = /^[0-9a-f]{40,64}$/

/** What stands in `HEAD` where git keeps its refs in another form. */
const REFTABLE = 'refs/heads/.invalid'

/** What is checked out in the worktree of a git directory. */
export async function readHead(folders: {
  readonly gitDir: string
  readonly commonDir: string
}): Promise<Seen<ObservedHead>> {
  const path = join(folders.gitDir, 'HEAD')
  const [peeked, log] = await Promise.all([peekFile(path, LINE), readHeadMoves(folders.gitDir)])
  const line = lineOf(peeked)
  if (line === undefined) {
    const why = peeked.kind === 'unreadable' ? peeked.why : 'is not there'
    return {
      found: { branch: undefined, commit: undefined, moved: log.found.at(-1) },
      unseen: [{ what: path, why }, ...log.unseen],
    }
  }
  const ref = /^ref: (.+)$/.exec(line)?.[1]
  const target =
    ref === undefined ? { found: commitOf(line), unseen: [] } : await readRef(folders.commonDir, ref)
  const branch = ref === REFTABLE ? undefined : /^refs\/heads\/(.+)$/.exec(ref ?? '')?.[1]
  return {
    found: { branch, commit: target.found, moved: log.found.at(-1) },
    unseen: [...target.unseen, ...log.unseen],
  }
}

/**
 * The movements that the end of the log tells, the oldest first.
 *
 * @param gitDir - of one worktree
 * @param from - octets of the log that are known
 */
export async function readHeadMoves(gitDir: string, from = 0): Promise<Seen<readonly HeadMove[]>> {
  const path = join(gitDir, 'logs', 'HEAD')
  const peeked = await peekFile(path, { most: MAX_HEAD_LOG_BYTES, end: 'last', from })
  if (peeked.kind === 'unreadable') return { found: [], unseen: [{ what: path, why: peeked.why }] }
  const lines = peeked.kind === 'text' ? peeked.text.split('\n') : []
  // Of a log that was cut, the first line may be the end of one.
  const whole = peeked.kind === 'text' && peeked.isCut ? lines.slice(1) : lines
  return { found: whole.flatMap((line) => toMove(line)), unseen: [] }
}

const MOVE = /^([0-9a-f]{40,64}) ([0-9a-f]{40,64}) .*> (\d{1,12}) [+-]\d{4}(?:\t(.*))?$/

function toMove(line: string): readonly HeadMove[] {
  const [, from, to, seconds, what = ''] = MOVE.exec(line) ?? []
  if (from === undefined || to === undefined) return []
  return [{ atMs: Number(seconds) * 1_000, from, to, what }]
}

async function readRef(commonDir: string, ref: string): Promise<Seen<string | undefined>> {
  if (ref === REFTABLE) return cannot(join(commonDir, 'reftable'), 'is a form of refs that is not read here')
  const path = join(commonDir, ref)
  const loose = await peekFile(path, LINE)
  if (loose.kind === 'unreadable') return cannot(path, loose.why)
  const line = lineOf(loose)
  if (line !== undefined) return { found: commitOf(line), unseen: [] }
  return readPacked(join(commonDir, 'packed-refs'), ref)
}

/** Absent in a repository without a commit. */
async function readPacked(path: string, ref: string): Promise<Seen<string | undefined>> {
  const peeked = await peekFile(path, { most: MAX_PACKED_REFS_BYTES })
  if (peeked.kind === 'unreadable') return cannot(path, peeked.why)
  if (peeked.kind === 'absent') return { found: undefined, unseen: [] }
  const line = peeked.text.split('\n').find((one) => one.endsWith(` ${ref}`))
  if (line === undefined && peeked.isCut)
    return cannot(path, `is looked at up to ${MAX_PACKED_REFS_BYTES} octets`)
  return { found: commitOf(line?.split(' ', 1)[0] ?? ''), unseen: [] }
}

function lineOf(peeked: Peeked): string | undefined {
  return peeked.kind === 'text' ? peeked.text.split('\n', 1)[0]?.trimEnd() : undefined
}

function commitOf(text: string): string | undefined {
  return COMMIT.test(text) ? text : undefined
}

function cannot(
  what: string,
  why: string,
): { readonly found: undefined; readonly unseen: readonly Unseen[] } {
  return { found: undefined, unseen: [{ what, why }] }
}
