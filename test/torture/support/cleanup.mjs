/**
 * What a torture program has made and must not leave behind: processes, mounts, directories.
 */
import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'

const processes = new Set()
const mounts = new Set()
const directories = new Set()

/** Remembers a child; it is killed with its group when it has one of its own. */
export function ownProcess(child) {
  processes.add(child)
  child.once('exit', () => processes.delete(child))
}

export function ownMount(path) {
  mounts.add(path)
}

export function disownMount(path) {
  mounts.delete(path)
}

export function ownDirectory(path) {
  directories.add(path)
}

export function disownDirectory(path) {
  directories.delete(path)
}

/** Ends, unmounts and removes everything; harmless when there is nothing. */
export function cleanUp() {
  for (const child of processes) killTree(child)
  processes.clear()
  for (const path of mounts) unmount(path)
  mounts.clear()
  for (const path of directories) rmSync(path, { recursive: true, force: true })
  directories.clear()
}

/** Cleans up however this process ends. */
export function cleanUpAtExit() {
  process.on('exit', cleanUp)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1))
}

function killTree(child) {
  try {
    process.kill(child.isGroupLeader === true ? -child.pid : child.pid, 'SIGKILL')
  } catch (error) {
    if (error.code !== 'ESRCH') throw error
  }
}

function unmount(path) {
  try {
    execFileSync('umount', ['-l', path], { stdio: 'ignore' })
  } catch {
    // Not mounted any more.
  }
}
