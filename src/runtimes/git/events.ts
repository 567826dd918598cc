/**
 * What a hook of git has to say to other sessions.
 *
 * @see AC-055; memo §5.2: "merged" a branch, "stale" a work tree, "released" what others can get
 */
import { basename } from 'node:path'
import { unreachable } from '../../core/errors.ts'
import { safeLine } from '../../core/text/safe-text.ts'
import type { GitHook } from './hooks.ts'
import { askGit, findGitRepository, type GitContext, type GitRepository } from './repository.ts'

/** The arguments of the verb `agent_broadcast`. */
export interface GitEvent {
  readonly text: string
  readonly event_class: 'merged' | 'stale' | 'released' | 'other'
  readonly refs: readonly string[]
}

/** How git called the hook. */
export interface GitHookCall {
  readonly name: GitHook
  readonly args: readonly string[]
  /** Only `pre-push` gets any. */
  readonly input: string
}

/** Octets of a subject; the rest is in the log. */
const MAX_SUBJECT_OCTETS = 256

/** Refs of one push that are named; a mirror pushes thousands. */
const MAX_PUSHED = 20

/** Octets of one reference, and how many a broadcast takes (AC-056). */
const MAX_REF_OCTETS = 512

const SHORT_SHA = 10
const ZEROS = /^0+$/

/** @returns undefined when there is nothing others need to know */
export async function findGitEvent(call: GitHookCall, context: GitContext): Promise<GitEvent | undefined> {
  // Most checkouts are of single files; git need not be asked about those.
  if (isOfNoUse(call)) return undefined
  const repository = await findGitRepository(context)
  if (repository === undefined) return undefined
  switch (call.name) {
    case 'post-commit':
      return committed(repository, context)
    case 'post-merge':
      return merged(call, repository, context)
    case 'post-checkout':
      return checkedOut(call, repository)
    case 'pre-push':
      return pushed(call, repository)
    case 'prepare-commit-msg':
      return undefined
    default:
      return unreachable(call.name)
  }
}

/** Whether the call alone says that there is nothing to tell. */
function isOfNoUse({ name, args, input }: GitHookCall): boolean {
  if (name === 'pre-push') return pushedRefs(input).length === 0
  if (name !== 'post-checkout') return false
  const [before = '', after = '', isBranch] = args
  // Single files, a new branch on the same commit, a fresh clone: nobody's view is old for it.
  return isBranch !== '1' || before === after || ZEROS.test(before)
}

async function committed(repository: GitRepository, context: GitContext): Promise<GitEvent | undefined> {
  const head = await findHead(repository, context)
  if (head === undefined) return undefined
  const text = `committed ${shorten(head.sha)} on ${branchOf(repository)}: ${head.subject}`
  return event('other', text, { repository, commit: head.sha })
}

async function merged(
  { args }: GitHookCall,
  repository: GitRepository,
  context: GitContext,
): Promise<GitEvent | undefined> {
  const head = await findHead(repository, context)
  if (head === undefined) return undefined
  const isSquash = args[0] === '1'
  // A squash changes files only; the commit that follows is told by itself.
  if (isSquash)
    return event('stale', `squashed a merge into the work tree on ${branchOf(repository)}`, { repository })
  const text = `merged into ${branchOf(repository)}, now at ${shorten(head.sha)}: ${head.subject}`
  return event('merged', text, { repository, commit: head.sha })
}

/** Files under every session in this work tree are others now. */
function checkedOut({ args }: GitHookCall, repository: GitRepository): GitEvent {
  const [, after = ''] = args
  const text = `checked out ${branchOf(repository)} (${shorten(after)}); files in ${repository.top} changed`
  return event('stale', text, { repository, commit: after })
}

function pushed({ args, input }: GitHookCall, repository: GitRepository): GitEvent {
  const lines = pushedRefs(input)
  const named = lines.slice(0, MAX_PUSHED)
  const names = named.map(({ ref, sha }) => `${ref.replace(/^refs\/(?:heads|tags)\//, '')} (${shorten(sha)})`)
  const more = lines.length > named.length ? ` and ${lines.length - named.length} more` : ''
  const text = `pushing ${names.join(', ')}${more} to ${remoteName(args[0])}`
  return event('released', text, { repository, pushed: named })
}

/** What git says on stdin is pushed; a deletion is not. */
function pushedRefs(input: string): readonly { readonly sha: string; readonly ref: string }[] {
  return input
    .split('\n')
    .map((line) => line.split(' '))
    .flatMap(([, sha, ref]) =>
      sha !== undefined && ref !== undefined && !ZEROS.test(sha) ? [{ sha, ref }] : [],
    )
}

/** A remote without a name is given as its address, which may hold a password. */
function remoteName(name = ''): string {
  return /^[A-Za-z0-9_.-]{1,64}$/.test(name) ? name : 'a remote'
}

interface About {
  readonly repository: GitRepository
  readonly commit?: string
  readonly pushed?: readonly { readonly sha: string; readonly ref: string }[]
}

function event(event_class: GitEvent['event_class'], text: string, about: About): GitEvent {
  const { repository, commit, pushed: refs = [] } = about
  const { branch, commonDir, top } = repository
  const all = [
    ...(commit === undefined ? [] : [`commit:${commit}`]),
    ...refs.flatMap(({ sha, ref }) => [`commit:${sha}`, ref]),
    ...(branch === undefined ? [] : [`branch:${branch}`]),
    `repository:${commonDir}`,
    `worktree:${top}`,
  ]
  const fitting = [...new Set(all)].filter((ref) => Buffer.byteLength(ref) <= MAX_REF_OCTETS)
  return { text: fitText(safeLine(`${basename(top)}: ${text}`), MAX_TEXT_OCTETS), event_class, refs: fitting }
}

/** The commit the hook was called about, which need not be the newest any more. */
async function findHead(
  { head }: GitRepository,
  context: GitContext,
): Promise<{ readonly sha: string; readonly subject: string } | undefined> {
  if (!head) return undefined
  const said = await askGit(['log', '-1', '--format=%s', head], context)
  return { sha: head, subject: fitText(said?.trimEnd() ?? '', MAX_SUBJECT_OCTETS) }
}

/** Octets of a broadcast's text (AC-054). */
const MAX_TEXT_OCTETS = 2_048

/** Whole characters of what fits. */
function fitText(text: string, maxOctets: number): string {
  const bytes = Buffer.from(text)
  return bytes.length <= maxOctets
    ? text
    : bytes
        .subarray(0, maxOctets)
        .toString('utf8')
        .replace(/\uFFFD+$/, '')
}

function branchOf({ branch }: GitRepository): string {
  return branch ?? 'no branch'
}

function shorten(sha: string): string {
  return sha.slice(0, SHORT_SHA)
}
