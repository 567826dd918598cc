/**
 * What a runtime session says of itself when it is registered.
 *
 * @see docs/http.md §4; docs/runtimes.md §10 rule 2
 */
import { createHash } from 'node:crypto'
import type { HookState } from '../memory/hook-state.ts'
import type { HookContext } from './context.ts'

/** Bounds of the wire, in octets. */
const MAX_PATH_OCTETS = 4_096
const MAX_NAME_OCTETS = 256

/** Of a handle's body. */
const MAX_LABEL_CHARS = 32

/** Characters of a session id on the wire, and of the digest that tells folded ones apart. */
const MAX_ID_CHARS = 128
const DIGEST_CHARS = 8

/** An object of `POST /v1/sessions`, and where the session works. */
export interface SessionFacts {
  readonly body: Readonly<Record<string, unknown>>
  readonly place: Pick<HookState, 'repository' | 'worktree' | 'branch'>
}

/** @param known - the session as it is remembered, or the one it carries on */
export async function factsOf(
  { event, hooks, key }: HookContext,
  known: HookState | undefined,
): Promise<SessionFacts> {
  const { tool } = event.runtime
  const { cwd } = event
  const found = cwd?.startsWith('/') === true ? await hooks.places.find(cwd, key) : undefined
  const place =
    found === undefined
      ? { repository: known?.repository, worktree: known?.worktree ?? cwd, branch: known?.branch }
      : {
          repository: found.checkout?.commonDir,
          worktree: found.checkout?.worktree ?? found.real,
          branch: found.checkout?.branch,
        }
  const draftedWith = instrumentHandle(tool, event.model) ?? known?.registration?.['drafted_with']
  const body = {
    instrument: tool,
    session_id: wireSessionId(event.sessionId),
    tool,
    mailbox: true,
    ...(typeof draftedWith === 'string' && { drafted_with: draftedWith }),
    ...short('title', event.title, MAX_NAME_OCTETS),
    ...short('cwd', cwd, MAX_PATH_OCTETS),
    ...short('repository', place.repository, MAX_PATH_OCTETS),
    ...short('worktree', place.worktree, MAX_PATH_OCTETS),
    ...short('branch', place.branch, MAX_NAME_OCTETS),
  }
  return { body, place }
}

/** The runtime's id in the grammar of the wire; one that had to be changed stays told apart by its digest. */
export function wireSessionId(sessionId: string): string {
  const folded = sessionId.replaceAll(/[^A-Za-z0-9._:-]/g, '-').slice(0, MAX_ID_CHARS)
  if (folded === sessionId) return folded
  const digest = createHash('sha256').update(sessionId).digest('hex').slice(0, DIGEST_CHARS)
  return `${folded.slice(0, MAX_ID_CHARS - DIGEST_CHARS - 1)}-${digest}`
}

/** `cc` and `claude-opus-4-6` make `~cc-opus-4-6`; undefined without a model, or for one that gives no handle. */
export function instrumentHandle(tool: string, model: string | undefined): string | undefined {
  if (model === undefined) return undefined
  const name = model
    .slice(0, 256)
    .toLowerCase()
    .replace(/^.*\//, '')
    .replace(/^claude-/, '')
    .replace(/-?20\d{6}.*$/, '')
    .replaceAll(/[^a-z0-9]+/g, '-')
  const body = `${tool}-${name.replace(/^-/, '')}`.slice(0, MAX_LABEL_CHARS).replace(/-+$/, '')
  return body === tool ? undefined : `~${body}`
}

function short(name: string, value: string | undefined, octets: number): Readonly<Record<string, string>> {
  return value === undefined || Buffer.byteLength(value) > octets ? {} : { [name]: value }
}
