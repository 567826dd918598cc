/**
 * Another time of day for a process, and no other monotonic clock: what is waited for takes as long as ever.
 */
import { existsSync, readdirSync } from 'node:fs'

/** @param library - of `findFaketime` @returns variables of the process */
export function fakeClock(shiftMs, library) {
  const seconds = Math.round(shiftMs / 1_000)
  return {
    LD_PRELOAD: library,
    FAKETIME: `${seconds < 0 ? '-' : '+'}${Math.abs(seconds)}s`,
    FAKETIME_NO_CACHE: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    DONT_FAKE_MONOTONIC: '1',
  }
}

/** @returns the library's path; undefined where it is not installed */
export function findFaketime() {
  const roots = ['/usr/lib', '/usr/lib64', '/usr/local/lib']
  const folders = roots
    .filter(existsSync)
    .flatMap((root) => [root, ...readdirSync(root).map((name) => `${root}/${name}`)])
  return folders.map((folder) => `${folder}/faketime/libfaketimeMT.so.1`).find(existsSync)
}
