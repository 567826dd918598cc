/**
 * A session as the roster tells it, and what it is called.
 *
 * @see docs/http.md §4; SEAT-01, SEAT-20
 */
import { memberOf, objectOf, textMember, type JsonObject } from '../../../core/text/json-object.ts'
import { timeOf } from '../text/times.ts'

/** What a session does, in its own words (W-4). */
export interface SeatActivity {
  readonly state: 'working' | 'waiting' | 'idle'
  readonly reason: string | undefined
  readonly text: string | undefined
  /** Wall time in milliseconds. */
  readonly sinceMs: number
}

/** Somebody who is there. */
export interface SeatSession {
  readonly address: string
  /** What people call it; the address within its handle where it has no name. */
  readonly called: string
  readonly instrument: string
  readonly tool: string
  /** Undefined as well where it is {@link called} over again. */
  readonly title: string | undefined
  readonly cwd: string | undefined
  /** The git common directory. */
  readonly repository: string | undefined
  readonly worktree: string | undefined
  readonly branch: string | undefined
  readonly activity: SeatActivity | undefined
  /** Whether the person sits at it: a page or a terminal. */
  readonly isPerson: boolean
}

/** The tool class of the person's own seats (SEAT-01). */
const PERSON_TOOL = 'human'

/** @returns undefined for an entry without an address */
export function readSession(value: unknown): SeatSession | undefined {
  const said = objectOf(value)
  const address = textMember(said, 'address')
  if (address === undefined) return undefined
  const tool = textMember(said, 'tool') ?? ''
  const called = textMember(said, 'name') ?? withinHandle(address)
  return {
    address,
    called,
    instrument: textMember(said, 'instrument') ?? '',
    tool,
    title: titleBeside(called, textMember(said, 'title')),
    cwd: textMember(said, 'cwd'),
    repository: textMember(said, 'repository'),
    worktree: textMember(said, 'worktree'),
    branch: textMember(said, 'branch'),
    activity: readActivity(objectOf(memberOf(said, 'activity'))),
    isPerson: tool === PERSON_TOOL,
  }
}

/** `~alice/cc-opus@s1` → `cc-opus@s1`; anything else stays as it is. */
export function withinHandle(address: string): string {
  return address.slice(address.indexOf('/') + 1)
}

/** A title says nothing more beside the name that was made of it: `flaky-tests`, flaky tests. @returns undefined then */
export function titleBeside(called: string | undefined, title: string | undefined): string | undefined {
  if (called === undefined || title === undefined) return title
  return lettersOf(called) === lettersOf(title) ? undefined : title
}

function lettersOf(text: string): string {
  return text.replaceAll(/[^\p{L}\p{N}]+/gu, '').toLowerCase()
}

/** The last part of a path: what people call a folder. */
export function folderName(path: string): string {
  return path.replace(/\/+$/, '').replace(/^.*\//, '')
}

/** Where a session works, as short as people say it: its worktree's folder, or the one it was started in. */
export function folderOf({
  worktree,
  cwd,
  repository,
}: Pick<SeatSession, 'repository'> & Partial<SeatSession>): string | undefined {
  const path = worktree ?? cwd ?? repository?.replace(/\/\.git$/, '')
  return path === undefined ? undefined : folderName(path)
}

function readActivity(said: JsonObject): SeatActivity | undefined {
  const state = textMember(said, 'state')
  if (state !== 'working' && state !== 'waiting' && state !== 'idle') return undefined
  const [reason, text] = [textMember(said, 'reason'), textMember(said, 'text')]
  return { state, reason, text, sinceMs: timeOf(said, 'since') ?? 0 }
}
