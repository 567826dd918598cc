/**
 * Commits and the trailers git finds in them.
 */
import { execFile } from 'node:child_process'
import { UsageError } from '../../core/errors.ts'
import { safeLine } from '../../core/text/safe-text.ts'
import type { Trailer } from './attribution.ts'
import { askGit, type GitContext } from './repository.ts'

/** One commit, as far as who made it goes. Times are milliseconds since 1970. */
export interface Commit {
  readonly sha: string
  readonly subject: string
  readonly authoredMs: number
  readonly committedMs: number
  readonly trailers: readonly Trailer[]
}

/** Commits of one look; more are a history, and are looked at in parts. */
export const MAX_COMMITS = 10_000

/** Octets of all their subjects and trailers together. */
const MAX_LOG_BYTES = 67_108_864

/** How long git may take to find them, in milliseconds. */
const LOG_MS = 60_000

/** A message holds no NUL, so no commit can pretend to be two. */
const FIELDS = ['%H', '%at', '%ct', '%s', '%(trailers:only,unfold)']

/** Nothing of the repository's or of the person's settings changes what is read. */
const PLAIN = ['--no-replace-objects', '-c', 'log.showSignature=false', '-c', 'trailer.separators=:']

/**
 * The commits of a range in git's own words, the newest first; of none, those the upstream branch has not, or all.
 *
 * @throws UsageError for a range git does not know, for more than {@link MAX_COMMITS}, and outside a repository
 */
export async function readCommits(
  range: string | undefined,
  context: GitContext,
): Promise<readonly Commit[]> {
  const asked = range ?? (await findOwnRange(context))
  const fields = (await readLog(asked, context)).split('\0')
  const count = Math.floor(fields.length / FIELDS.length)
  if (count > MAX_COMMITS) {
    throw new UsageError(`${safeLine(asked)} has more than ${MAX_COMMITS} commits; name a part of it.`)
  }
  return Array.from({ length: count }, (_, i) =>
    toCommit(fields.slice(i * FIELDS.length, (i + 1) * FIELDS.length)),
  )
}

async function findOwnRange(context: GitContext): Promise<string> {
  const upstream = await askGit(['rev-parse', '--verify', '--quiet', '@{upstream}'], context)
  return upstream === undefined ? 'HEAD' : '@{upstream}..HEAD'
}

/** @returns the fields of all commits, each ended by NUL */
function readLog(range: string, { environment, directory }: GitContext): Promise<string> {
  const args = [
    ...PLAIN,
    'log',
    '-z',
    '--no-color',
    '--no-notes',
    '--encoding=UTF-8',
    `--max-count=${MAX_COMMITS + 1}`,
    `--format=tformat:${FIELDS.join('%x00')}`,
    '--end-of-options',
    range,
    '--',
  ]
  const options = { cwd: directory, env: environment.env, maxBuffer: MAX_LOG_BYTES, timeout: LOG_MS }
  return new Promise((resolve, reject) => {
    execFile('git', args, options, (error, stdout, stderr) => {
      if (error === null) return resolve(stdout)
      const [why = ''] = stderr.trim().split('\n')
      reject(
        new UsageError(`git does not show ${safeLine(range)}: ${safeLine(why || error.message)}`, {
          cause: error,
        }),
      )
    })
  })
}

function toCommit([sha = '', authored, committed, subject = '', trailers = '']: readonly string[]): Commit {
  return {
    sha,
    subject,
    authoredMs: Number(authored) * 1_000,
    committedMs: Number(committed) * 1_000,
    trailers: trailers.split('\n').flatMap((line) => toTrailer(line)),
  }
}

function toTrailer(line: string): readonly Trailer[] {
  const colon = line.indexOf(':')
  return colon < 1 ? [] : [{ name: line.slice(0, colon).trim(), value: line.slice(colon + 1).trim() }]
}
