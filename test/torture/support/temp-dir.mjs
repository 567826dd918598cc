/**
 * Directories of a run's own, and a small disk to fill.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { disownDirectory, disownMount, ownDirectory, ownMount } from './cleanup.mjs'

/** A private directory with a short path, since sockets live in it. `remove()` takes it away. */
export function createTempDir() {
  const path = mkdtempSync(join(tmpdir(), 'agt-'))
  ownDirectory(path)
  return {
    path,
    file: (...names) => join(path, ...names),
    remove() {
      rmSync(path, { recursive: true, force: true })
      disownDirectory(path)
    },
  }
}

/**
 * Mounts a tmpfs of the given size at a new directory.
 *
 * @returns undefined where this user may not mount; otherwise the path and `unmount()`
 */
export function mountSmallDisk(path, megabytes) {
  mkdirSync(path, { recursive: true, mode: 0o700 })
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0700`, 'agentd-torture', path], {
      stdio: 'ignore',
    })
  } catch {
    return undefined
  }
  ownMount(path)
  return {
    path,
    unmount() {
      execFileSync('umount', ['-l', path])
      disownMount(path)
    },
  }
}

/** Whether a command can be run here. */
export function hasCommand(name) {
  try {
    execFileSync('sh', ['-c', `command -v ${name}`], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
