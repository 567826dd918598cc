/**
 * Where `AGENTD_DEBUG` says that lines go: a file of ours that several processes add to, or stderr.
 *
 * Whatever is wrong with it, it is only told: nobody's hook may fail for a line that somebody wanted to read.
 */
import { closeSync, constants, fstatSync, openSync, renameSync, writeSync } from 'node:fs'
import { resolve as resolvePath } from 'node:path'
import { messageOf } from '../../core/thrown.ts'
import type { Debug } from '../../core/debug.ts'
import { escapeUnseen } from '../../core/text/unseen.ts'
import type { Environment } from '../config/paths.ts'

/** Names the file, or `-` for stderr; absent or empty, nothing is written. */
export const DEBUG_VARIABLE = 'AGENTD_DEBUG'

/** Size at which the file is set aside as `<file>.1`, in place of an earlier one. */
const MAX_DEBUG_BYTES = 16 * 1024 * 1024

const STDERR = 2

/** What a sink is built from. */
export interface DebugSinkParts {
  readonly environment: Environment
  /** Wall time in milliseconds since 1970. */
  readonly nowMs: () => number
  /** Told once, with a sentence, when the file cannot be used; nothing is written then. */
  readonly onFault?: (sentence: string) => void
}

/** @returns undefined when nobody asked */
export function openDebugSink({ environment, nowMs, onFault }: DebugSinkParts): Debug | undefined {
  const target = environment.env[DEBUG_VARIABLE]
  if (!target) return undefined
  const path = target === '-' ? undefined : resolvePath(target)
  let isLost = false
  return (what, fields) => {
    if (isLost) return
    const head = { ts: new Date(nowMs()).toISOString(), pid: process.pid, what }
    const line = escapeUnseen(JSON.stringify({ ...head, ...fields, ...head }))
    try {
      if (path === undefined) writeSync(STDERR, `${line}\n`)
      else append(path, `${line}\n`, environment.uid)
    } catch (error) {
      isLost = true
      onFault?.(`AGENTD_DEBUG: ${messageOf(error)}`)
    }
  }
}

/** Opened for each line: the file may have been set aside by another process since the last one. */
function append(path: string, line: string, uid: number): void {
  const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants
  const file = openSync(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600)
  try {
    const found = fstatSync(file)
    if (!found.isFile() || found.uid !== uid || (found.mode & 0o077) !== 0) {
      throw new Error(`${path} must be a file of yours that nobody else may read or write`)
    }
    writeSync(file, line)
    if (found.size + line.length > MAX_DEBUG_BYTES) renameSync(path, `${path}.1`)
  } finally {
    closeSync(file)
  }
}
