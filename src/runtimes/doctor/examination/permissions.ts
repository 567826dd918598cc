/**
 * Whether what is ours is ours alone: directories 0700, files 0600.
 *
 * @see docs/http.md §1; R-02; PD-12
 */
import { lstatSync } from 'node:fs'
import type { Stats } from 'node:fs'
import { dirname, join } from 'node:path'
import { systemErrorCode } from '../../../core/thrown.ts'
import { configPath, stateDir, type Environment } from '../../../host/config/paths.ts'
import { MAX_LOOKED_AT } from '../bounds.ts'
import { namesIn } from '../config-text.ts'
import { notesOn, type DoctorFinding } from '../finding.ts'
import type { Surroundings } from '../target.ts'

/** Modes that give somebody else anything, or anything to write. */
const OTHERS = 0o077
const OTHERS_WRITE = 0o022

/** What is wrong, and what puts it right. */
interface Fault {
  readonly sentence: string
  readonly fix: string
}

/** @param socketPath - undefined where no place for it can be had */
export function permissionFindings(
  { environment }: Surroundings,
  socketPath: string | undefined,
): readonly DoctorFinding[] {
  const notes = notesOn('agentd')
  const { uid } = environment
  const state = stateDir(environment)
  const folders = [state, join(state, 'setup'), join(state, 'keys')]
  const faults = [
    ...folders.flatMap((path) => folderFaults(path, uid)),
    ...(socketPath === undefined ? [] : socketFaults(environment, socketPath)),
    ...fault(dirname(configPath(environment)), uid, OTHERS_WRITE),
  ]
  return faults.length > 0
    ? faults.map(({ sentence, fix }) => notes.fail('permissions', sentence, fix))
    : [notes.ok('permissions', 'Directories, socket and files are for this user alone.')]
}

/** A person may have put the socket beside other things; those are none of our business. */
function socketFaults(environment: Environment, path: string): readonly Fault[] {
  const { uid } = environment
  return [...fault(dirname(path), uid, OTHERS), ...fault(path, uid, OTHERS)]
}

/** A directory of ours, and what lies in it directly. */
function folderFaults(path: string, uid: number): readonly Fault[] {
  const own = fault(path, uid, OTHERS)
  const names = namesIn(path).slice(0, MAX_LOOKED_AT)
  return [...own, ...names.flatMap((name) => fault(join(path, name), uid, OTHERS))]
}

function fault(path: string, uid: number, forbidden: number): readonly Fault[] {
  let found: Stats | undefined
  try {
    found = lstatSync(path, { throwIfNoEntry: false })
  } catch (error) {
    const why = systemErrorCode(error) ?? String(error)
    return [{ sentence: `${path} cannot be examined (${why}).`, fix: `look at ${dirname(path)}` }]
  }
  // What is not there yet is made right; a link is judged where it is followed.
  if (found === undefined || found.isSymbolicLink()) return []
  if (found.uid !== uid) {
    return [{ sentence: `${path} belongs to uid ${found.uid}, not to uid ${uid}.`, fix: `move ${path} away` }]
  }
  const mode = found.mode & 0o777
  if ((mode & forbidden) === 0) return []
  const said = `its mode is 0${mode.toString(8).padStart(3, '0')}`
  const wish = forbidden === OTHERS ? 'go=' : 'go-w'
  return [{ sentence: `${path} is open to others: ${said}.`, fix: `chmod ${wish} ${path}` }]
}
