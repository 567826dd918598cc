/**
 * Who acted, and what drafted: two trailers in the message of a commit that a session makes.
 *
 * @see docs/requirements.md §§1.1, 1.3: a person in `Acted-By`, an instrument in `Drafted-With`
 */
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { callDaemon } from './daemon-call.ts'
import { askGit, findGitRepository, type GitContext } from './repository.ts'

/** The session that commits. */
export interface Committer {
  readonly socketPath: string
  readonly token: string
  readonly signal: AbortSignal
}

/** On the wire only the canonical form counts (docs/requirements.md §1.2). */
const HANDLE = /^~[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/

/** Commits that are somebody else's, made again: they keep the trailers they have. */
const REPLAYS = ['rebase-merge', 'rebase-apply', 'CHERRY_PICK_HEAD', 'REVERT_HEAD']

/** A message longer than this is no message. */
const MAX_MESSAGE_BYTES = 1_048_576

/**
 * Adds the trailers to the message in the file git names.
 *
 * @param args - as git gives them: the file, where the message is from, and of which commit
 */
export async function addTrailers(
  args: readonly string[],
  committer: Committer,
  context: GitContext,
): Promise<void> {
  const [file = '', source = ''] = args
  const path = resolve(context.directory, file)
  // A template is compared with what comes back; git would take our lines for the person's.
  if (file === '' || source === 'template' || !hasText(path)) return
  const [repository, who] = await Promise.all([findGitRepository(context), findIdentity(committer)])
  if (repository === undefined || who === undefined) return
  if (REPLAYS.some((name) => existsSync(join(repository.gitDir, name)))) return
  await askGit(
    [
      'interpret-trailers',
      '--in-place',
      '--no-divider',
      '--if-exists=doNothing',
      `--trailer=Acted-By: ${who.actedBy}`,
      '--if-exists=addIfDifferent',
      `--trailer=Drafted-With: ${who.draftedWith}`,
      path,
    ],
    context,
  )
}

async function findIdentity({
  socketPath,
  token,
  signal,
}: Committer): Promise<{ readonly actedBy: string; readonly draftedWith: string } | undefined> {
  const ask = { socketPath, method: 'GET', signal } as const
  const [self, health] = await Promise.all([
    callDaemon({ ...ask, path: '/v1/sessions/self', token }),
    callDaemon({ ...ask, path: '/v1/health', token: undefined }),
  ])
  const actedBy = handleIn(health.value, 'principal')
  const draftedWith = handleIn(self.value, 'drafted_with')
  return actedBy === undefined || draftedWith === undefined ? undefined : { actedBy, draftedWith }
}

function handleIn(value: unknown, name: string): string | undefined {
  const handle: unknown =
    value instanceof Object && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined
  return typeof handle === 'string' && HANDLE.test(handle) ? handle : undefined
}

/** With trailers alone in it, a message would no longer count as empty, and leaving it empty is how one aborts. */
function hasText(path: string): boolean {
  const bytes = readFileSync(path)
  if (bytes.length > MAX_MESSAGE_BYTES) return false
  return bytes
    .toString('utf8')
    .split('\n')
    .some((line) => line.trim() !== '' && !line.startsWith('#'))
}
