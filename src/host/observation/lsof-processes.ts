/**
 * Processes as `lsof` of macOS shows them to a user without privileges: their directories and what they are called. When they
 * began, and which script an interpreter runs, it does not say.
 *
 * @see lsof(8) "OUTPUT FOR OTHER PROGRAMS"
 */
import { execFile } from 'node:child_process'
import { basename } from 'node:path'
import { isWithin, type ObservedProcess, type ProcessWish } from './observed-process.ts'
import type { Seen } from './unseen.ts'

const LSOF = '/usr/sbin/lsof'

/** How long it may take, in milliseconds, and how much it may say. */
const LSOF_MS = 5_000
const MAX_OUTPUT_BYTES = 4_194_304

/** Those that are found; `processes-in.ts` asks for them. @param program - another one, for a test */
export function listByLsof(
  wish: ProcessWish,
  uid: number,
  program = LSOF,
): Promise<Seen<readonly ObservedProcess[]>> {
  const args = ['+c0', '-w', '-a', '-d', 'cwd', '-u', `${uid}`, '-FpRcn']
  const options = { timeout: LSOF_MS, maxBuffer: MAX_OUTPUT_BYTES, env: { LC_ALL: 'C' } }
  return new Promise((resolve) => {
    execFile(program, args, options, (error, stdout) => {
      // It ends with 1 too where of one process something is not shown.
      const isCut = error !== null && (error.killed === true || stdout === '')
      const found = isCut
        ? []
        : readLsof(stdout).filter((one) => wish.pids.has(one.pid) || isWithin(one.cwd, wish.roots))
      const unseen = isCut
        ? [{ what: 'processes', why: `are not shown: ${program} gave no whole answer` }]
        : []
      resolve({ found, unseen })
    })
  })
}

/** One letter and a value on each line; a process begins with its number. */
export function readLsof(text: string): readonly ObservedProcess[] {
  const found: ObservedProcess[] = []
  let head: { readonly pid: number; parentPid?: number; name?: string } | undefined
  for (const line of text.split('\n')) {
    const value = line.slice(1)
    if (line.startsWith('p')) head = { pid: Number(value) }
    else if (head === undefined) continue
    else if (line.startsWith('R')) head.parentPid = Number(value)
    else if (line.startsWith('c')) head.name = basename(value)
    else if (line.startsWith('n')) {
      const { pid, parentPid, name } = head
      found.push({
        pid,
        parentPid,
        cwd: value,
        names: name === undefined ? [] : [name],
        startedMs: undefined,
      })
    }
  }
  return found
}
