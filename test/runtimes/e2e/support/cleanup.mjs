/**
 * What a run has made and must not leave behind: processes, theirs, and directories.
 *
 * A runtime starts hooks, a hook starts the daemon and a waiter, and these outlive both. They are found by the
 * one thing they all inherit, the run's own directory in their variables, so that nothing of the person's is
 * ever ended.
 */
import { readFileSync, readdirSync, rmSync } from 'node:fs'

/** Variables that all of them are given, and that lead into the run's directory. */
const MARKS = ['HOME', 'TMPDIR', 'XDG_RUNTIME_DIR']

/** Looks at a directory before it is given up as one that cannot be emptied. */
const MAX_ROUNDS = 20

const groups = new Set()
const directories = new Set()

/** Remembers a child that leads a group of its own. */
export function ownGroup(child) {
  groups.add(child)
  child.once('exit', () => groups.delete(child))
}

export function ownDirectory(path) {
  directories.add(path)
}

/** Ends and removes everything; harmless when there is nothing. */
export function cleanUp() {
  for (const child of groups) endGroup(child)
  groups.clear()
  for (const path of directories) removeDirectory(path)
}

/** Ends every process of a directory and removes it; one that was being started while we looked is found next time. */
export function removeDirectory(path) {
  for (let rounds = MAX_ROUNDS; rounds > 0; rounds -= 1) {
    for (const { pid } of processesOf(path)) end(pid)
    try {
      rmSync(path, { recursive: true, force: true, maxRetries: 3, retryDelay: 50 })
      break
    } catch (error) {
      if (rounds === 1) throw error
    }
  }
  directories.delete(path)
}

/** Cleans up however this process ends. */
export function cleanUpAtExit() {
  process.on('exit', cleanUp)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1))
}

/** Ends a child and everything in its group. */
export function endGroup(child) {
  end(-child.pid)
}

/** Processes of this user that were given a place in this directory: `{pid, command}`. Only Linux can say. */
export function processesOf(directory) {
  let pids
  try {
    pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  } catch {
    return []
  }
  return pids.flatMap((pid) => {
    try {
      const variables = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')
      const isOurs = MARKS.some((mark) => variables.some((one) => one.startsWith(`${mark}=${directory}/`)))
      if (!isOurs || Number(pid) === process.pid) return []
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').join(' ').trim()
      return [{ pid: Number(pid), command }]
    } catch {
      // Gone meanwhile, or not ours to look at.
      return []
    }
  })
}

function end(pid) {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if (error.code !== 'ESRCH') throw error
  }
}
