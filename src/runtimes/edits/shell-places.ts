/**
 * Where the files of a shell line are, when all that is known is the directory that the shell was left in.
 *
 * @see docs/runtimes.md §1.12; OP-24
 */
import { posix } from 'node:path'
import type { ShellRun } from './shell-writes.ts'

/** A relative path, cut where it has left the directories above it. */
interface Steps {
  /** How often it goes up at its beginning. */
  readonly up: number
  readonly down: readonly string[]
}

/**
 * `cd src && sed -i … a.ts`, left in `/r/src`, wrote `/r/src/a.ts`.
 *
 * @param leftIn - absolute
 * @returns absolute paths; none for a file whose place does not follow, as when the shell was put back elsewhere meanwhile
 */
export function placedFrom(leftIn: string, { files, endsIn }: ShellRun): readonly string[] {
  return files.map((file) => placeOf(file, endsIn, leftIn)).filter((file) => file !== undefined)
}

function placeOf(file: string, endsIn: string | undefined, leftIn: string): string | undefined {
  if (file.startsWith('/')) return posix.normalize(file)
  if (endsIn === undefined || endsIn.startsWith('/')) return undefined
  const end = stepsOf(endsIn)
  const path = stepsOf(file)
  const base = without(leftIn, end.down)
  // What lies above another number of directories, nobody has said the name of.
  return base === undefined || path.up !== end.up ? undefined : posix.join(base, ...path.down)
}

function stepsOf(path: string): Steps {
  const steps = posix
    .normalize(path)
    .split('/')
    .filter((step) => step !== '' && step !== '.')
  const up = steps.findIndex((step) => step !== '..')
  return up === -1 ? { up: steps.length, down: [] } : { up, down: steps.slice(up) }
}

/** The directory that these steps led from; undefined where they do not lead there. */
function without(directory: string, down: readonly string[]): string | undefined {
  const tail = down.map((step) => `/${step}`).join('')
  const plain = directory.endsWith('/') ? directory.slice(0, -1) : directory
  return plain.endsWith(tail) ? plain.slice(0, plain.length - tail.length) || '/' : undefined
}
