/**
 * Who acted, and what drafted: two trailers in the message of a commit that a session makes.
 *
 * @see docs/requirements.md §§1.1, 1.3: a person in `Acted-By`, an instrument in `Drafted-With`
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { textMember, type JsonObject } from '../../core/text/json-object.ts'
import { callDaemon } from './daemon-call.ts'
import { hasText, hasTrailer, withoutTrailer, type MessageForm } from './message.ts'
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

const ACTED_BY = 'Acted-By'
const DRAFTED_WITH = 'Drafted-With'

/** Where no configuration is. */
const NOWHERE = '/dev/null'

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
  if (file === '' || source === 'template') return
  const [form, repository, who] = await Promise.all([
    findMessageForm(context),
    findGitRepository(context),
    findIdentity(committer),
  ])
  const text = readMessage(path)
  if (text === undefined || !hasText(text, form) || repository === undefined || who === undefined) return
  if (REPLAYS.some((name) => existsSync(join(repository.gitDir, name)))) return
  await writeTrailers({ path, text, form, who }, context)
}

/** A message, and what is to stand under it. */
interface Draft {
  readonly path: string
  readonly text: string
  readonly form: MessageForm
  readonly who: Identity
}

/**
 * Who acted is the daemon's to say, so whatever else is said of that goes; what drafted it may be several. git finds the
 * place, and is asked where no setting of the repository changes what it does with trailers, or runs anything (HD-21).
 */
async function writeTrailers({ path, text, form, who }: Draft, context: GitContext): Promise<void> {
  const acted = { name: ACTED_BY, value: who.actedBy }
  const drafted = { name: DRAFTED_WITH, value: who.draftedWith }
  const bare = withoutTrailer(text, ACTED_BY, form)
  const isTold = hasTrailer(text, acted, form) && countLines(text) - countLines(bare) === 1
  const missing = [...(isTold ? [] : [acted]), ...(hasTrailer(text, drafted, form) ? [] : [drafted])]
  if (missing.length === 0) return
  if (!isTold) writeFileSync(path, bare)
  const trailers = missing.flatMap(({ name, value }) => ['--trailer', `${name}: ${value}`])
  const how = ['--in-place', '--no-divider', '--where=end', '--if-exists=add', '--if-missing=add']
  await askGit(
    ['-c', `core.commentChar=${form.commentMark}`, 'interpret-trailers', ...how, ...trailers, path],
    withoutSettings(context),
  )
}

/** Outside of any repository, without a configuration of anybody's. */
function withoutSettings(context: GitContext): GitContext {
  const { environment } = context
  const kept = Object.entries(environment.env).filter(([name]) => !name.startsWith('GIT_'))
  const env = {
    ...Object.fromEntries(kept),
    HOME: NOWHERE,
    XDG_CONFIG_HOME: NOWHERE,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: NOWHERE,
    GIT_CEILING_DIRECTORIES: '/',
  }
  return { ...context, directory: '/', environment: { ...environment, env } }
}

/** One printing character; git's `auto` chooses one that no line begins with, which is as good as any. */
async function findMessageForm(context: GitContext): Promise<MessageForm> {
  const said = (await askGit(['config', '--get', 'core.commentChar'], context))?.trim() ?? ''
  return { commentMark: /^[!-~]$/.test(said) ? said : '#' }
}

interface Identity {
  readonly actedBy: string
  readonly draftedWith: string
}

async function findIdentity({ socketPath, token, signal }: Committer): Promise<Identity | undefined> {
  const ask = { socketPath, method: 'GET', signal } as const
  const [self, health] = await Promise.all([
    callDaemon({ ...ask, path: '/v1/sessions/self', token }),
    callDaemon({ ...ask, path: '/v1/health', token: undefined }),
  ])
  const actedBy = handleIn(health.value, 'principal')
  const draftedWith = handleIn(self.value, 'drafted_with')
  return actedBy === undefined || draftedWith === undefined ? undefined : { actedBy, draftedWith }
}

function handleIn(value: JsonObject, name: string): string | undefined {
  const handle = textMember(value, name)
  return handle !== undefined && HANDLE.test(handle) ? handle : undefined
}

function countLines(text: string): number {
  return text.split('\n').length
}

/** @returns undefined for what is too long to be one */
function readMessage(path: string): string | undefined {
  const bytes = readFileSync(path)
  return bytes.length > MAX_MESSAGE_BYTES ? undefined : bytes.toString('utf8')
}
