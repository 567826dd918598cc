/**
 * What in a worktree is not committed, the newest first, as git says and the disk dates it.
 *
 * Git is asked without taking a lock and without what a configuration would have it run; a repository of somebody else it
 * refuses, and then that is said.
 */
import { execFile } from 'node:child_process'
import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Environment } from '../../host/config/paths.ts'
import type { Seen, Unseen } from '../../host/observation/unseen.ts'

/** One file that is not as it was committed. */
export interface ChangedFile {
  /** Within the worktree. */
  readonly path: string
  readonly state: 'new' | 'changed' | 'deleted' | 'renamed' | 'conflicted'
  /** When the disk was last changed there, in milliseconds of wall time; undefined for what is gone. */
  readonly changedMs: number | undefined
}

/** How long git may take, in milliseconds, and how much it may say: in a huge repository it takes long. */
export const STATUS_MS = 5_000
const MAX_STATUS_BYTES = 8_388_608

/** Files whose times are asked for; more are named as not seen. */
export const MAX_CHANGED_FILES = 2_000

const STATUS = [
  '--no-optional-locks',
  '-c',
  'core.fsmonitor=false',
  'status',
  '--porcelain=v1',
  '-z',
  '--untracked-files=normal',
  '--ignore-submodules=all',
]

/** Where git is asked, and how long. */
interface StatusWish {
  readonly worktree: string
  readonly environment: Pick<Environment, 'env'>
  readonly mostMs?: number
}

/** What is not committed there; undefined where git does not say it. */
export async function readChangedFiles(wish: StatusWish): Promise<Seen<readonly ChangedFile[] | undefined>> {
  const { worktree } = wish
  const said = await askStatus(wish)
  if (said.why !== undefined)
    return { found: undefined, unseen: [{ what: `What is not committed in ${worktree}`, why: said.why }] }
  const entries = readStatus(said.text)
  const unseen: Unseen[] =
    entries.length > MAX_CHANGED_FILES
      ? [
          {
            what: `What is not committed in ${worktree}`,
            why: `is looked at up to ${MAX_CHANGED_FILES} files of ${entries.length}`,
          },
        ]
      : []
  const found = await Promise.all(
    entries.slice(0, MAX_CHANGED_FILES).map(async (entry) => ({
      ...entry,
      changedMs: await changeOf(join(worktree, entry.path)),
    })),
  )
  return { found: found.toSorted((a, b) => (b.changedMs ?? 0) - (a.changedMs ?? 0)), unseen }
}

type Said = { readonly text: string; readonly why?: undefined } | { readonly why: string }

function askStatus({ worktree, environment, mostMs = STATUS_MS }: StatusWish): Promise<Said> {
  const options = {
    cwd: worktree,
    // Those would name another repository than the one that is looked at.
    env: {
      ...environment.env,
      GIT_DIR: undefined,
      GIT_WORK_TREE: undefined,
      GIT_INDEX_FILE: undefined,
      LC_ALL: 'C',
    },
    timeout: mostMs,
    maxBuffer: MAX_STATUS_BYTES,
  }
  return new Promise((resolve) => {
    execFile('git', STATUS, options, (error, stdout, stderr) => {
      if (error === null) return resolve({ text: stdout })
      const [first = ''] = stderr.trim().split('\n')
      if (error.killed === true)
        return resolve({ why: `is not shown: git took longer than ${mostMs / 1_000}s` })
      resolve({ why: `is not shown: ${first || error.message}` })
    })
  })
}

/** Two letters, a space and a path each; of what was renamed, its former path follows. */
function readStatus(text: string): readonly Omit<ChangedFile, 'changedMs'>[] {
  const found: Omit<ChangedFile, 'changedMs'>[] = []
  const fields = text.split('\0')
  for (let i = 0; i < fields.length; i += 1) {
    const field = fields[i] ?? ''
    const letters = field.slice(0, 2)
    if (letters.trim() === '') continue
    found.push({ path: field.slice(3), state: stateOf(letters) })
    if (letters.includes('R') || letters.includes('C')) i += 1
  }
  return found
}

function stateOf(letters: string): ChangedFile['state'] {
  if (letters === '??') return 'new'
  if (letters.includes('U') || letters === 'AA' || letters === 'DD') return 'conflicted'
  if (letters.includes('D')) return 'deleted'
  if (letters.includes('R')) return 'renamed'
  return letters.includes('A') ? 'new' : 'changed'
}

async function changeOf(path: string): Promise<number | undefined> {
  try {
    return (await lstat(path)).ctimeMs
  } catch {
    return undefined
  }
}
