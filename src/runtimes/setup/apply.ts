/**
 * Doing what was planned: one set-up at a time, each runtime's record before its files.
 */
import { execFile } from 'node:child_process'
import { dirname, join } from 'node:path'
import {
  makeDirectories,
  removeDraft,
  removeEditedFile,
  removeEmptyDirectory,
  replaceEditedFile,
} from '../../host/files/edited-file.ts'
import { underFileLock } from '../../host/files/file-lock.ts'
import type { Environment } from '../../host/config/paths.ts'
import { messageOf, systemErrorCode } from '../../core/thrown.ts'
import { HostRefusal } from '../../host/files/refusal.ts'
import { removeEmptyList } from './empty-list.ts'
import { removeManifest, requireManifestFolder, writeManifest } from './manifest.ts'
import { settleKeyHeader } from './socket-call.ts'
import { isIdle, showChange, type Command, type Step } from './step.ts'

/** What came of one step. */
export interface Applied {
  readonly step: Step
  /** What could not be done; a sentence. */
  readonly failure?: string
}

/** A runtime's own program starts slowly, but not that slowly. */
const COMMAND_MS = 30_000

/** Enough of what a failed command says. */
const MAX_COMMAND_OUTPUT = 65_536

/**
 * Plans once more under the lock and does that.
 *
 * @param shown - what a person has agreed to; undefined when nobody was asked
 * @throws HostRefusal when the files have changed since it was shown
 */
export async function applyPlan(
  plan: () => readonly Step[],
  shown: readonly Step[] | undefined,
  environment: Environment,
): Promise<readonly Applied[]> {
  const lock = join(requireManifestFolder(environment), 'lock')
  return underFileLock(lock, async () => {
    const steps = plan()
    const moved = shown === undefined ? undefined : findMoved(shown, steps)
    if (moved !== undefined) {
      const message = `${moved} has changed since it was looked at, and nothing was done; run the command again.`
      throw new HostRefusal(message)
    }
    const done: Applied[] = []
    for (const step of steps) done.push(await guarded(step, environment))
    settleKeyHeader(environment)
    return done
  })
}

async function guarded(step: Step, environment: Environment): Promise<Applied> {
  if (step.refusal !== undefined || isIdle(step)) return { step }
  try {
    await applyStep(step, environment)
    return { step }
  } catch (error) {
    if (error instanceof HostRefusal) return { step, failure: error.message }
    // What the system would not do to one runtime's files is no reason to leave the others half done.
    if (systemErrorCode(error) !== undefined) return { step, failure: `${step.title}: ${messageOf(error)}.` }
    throw error
  }
}

async function applyStep(step: Step, environment: Environment): Promise<void> {
  if (step.remember !== undefined) writeManifest(environment, step.remember)
  for (const { file, after } of step.changes) {
    if (after === undefined) removeEditedFile(file)
    else {
      makeDirectories(dirname(file.target))
      replaceEditedFile(file, after)
    }
  }
  for (const command of step.commands) await run(command, environment)
  if (step.emptied !== undefined) await removeEmptyList(step.emptied, environment.uid)
  if (step.forget === undefined) return
  const { files, directories } = step.forget.manifest
  for (const { target } of files) removeDraft(target)
  for (const directory of directories.toReversed()) removeEmptyDirectory(directory)
  removeManifest(environment, step.forget.name)
}

/** @throws HostRefusal with the last line it said, when it fails and may not */
function run({ program, args, directory, mayFail }: Command, { env }: Environment): Promise<void> {
  const options = { env, cwd: directory, timeout: COMMAND_MS, maxBuffer: MAX_COMMAND_OUTPUT }
  return new Promise((resolve, reject) => {
    const child = execFile(program, [...args], options, (error, stdout, stderr) => {
      if (error === null || mayFail) return resolve()
      const said = (stderr.trim() || stdout.trim()).split('\n').at(-1) ?? ''
      const words = [program, ...args].join(' ')
      reject(new HostRefusal(`"${words}" failed: ${said || error.message}`, { cause: error }))
    })
    child.stdin?.end()
  })
}

/** What would no longer be done as it was shown: the file, or the runtime; undefined where all is the same. */
function findMoved(shown: readonly Step[], steps: readonly Step[]): string | undefined {
  const before = new Set(shown.flatMap(fingerprints).map(({ print }) => print))
  const after = steps.flatMap(fingerprints)
  const isKnown = new Set(after.map(({ print }) => print))
  const fresh = after.find(({ print }) => !before.has(print))
  return (fresh ?? shown.flatMap(fingerprints).find(({ print }) => !isKnown.has(print)))?.what
}

interface Fingerprint {
  readonly what: string
  readonly print: string
}

function fingerprints({ runtime, title, changes, commands, refusal }: Step): readonly Fingerprint[] {
  const files = changes.map((change) => ({
    what: change.file.path,
    print: JSON.stringify([runtime, change.file.path, showChange(change)]),
  }))
  return [...files, { what: title, print: JSON.stringify([runtime, commands, refusal]) }]
}
