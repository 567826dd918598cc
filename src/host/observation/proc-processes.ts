/**
 * Processes as Linux shows them under /proc.
 *
 * @see proc(5)
 */
import { readFileSync, readlinkSync } from 'node:fs'
import { opendir, readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { systemErrorCode } from '../../core/thrown.ts'
import { whyNot } from '../peek.ts'
import { isWithin, type ObservedProcess, type ProcessWish } from './observed-process.ts'
import type { Seen, Unseen } from './unseen.ts'

/** Processes that are looked at; more are named as not seen. */
export const MAX_PROCESSES = 16_384

/** Looks in one turn of the event loop: each is a system call of a few microseconds. */
const TURN = 64

/** Octets of an argument list: its first words count. */
const MAX_WORDS_CHARS = 4_096

/** The kernel counts in these, whatever the clock of the machine is: USER_HZ. */
const TICKS_PER_SECOND = 100

/** Where the parent and the start stand in /proc/PID/stat, counted from the state, the first field after the name. */
const PARENT_AFTER_NAME = 1
const START_TIME_AFTER_NAME = 19

/** Programs that run a script, which is what people call the process. */
const INTERPRETERS = /^(?:node|nodejs|bun|deno|python[\d.]*|ruby)$/

/** Where it is shown, and how many are looked at; values, so that a test need not start ten thousand. */
export interface ProcFolder {
  readonly folder?: string
  readonly most?: number
}

/** Those that are found, in the order of their numbers; `processes-in.ts` asks for them. */
export async function listInProc(
  wish: ProcessWish,
  { folder = '/proc', most = MAX_PROCESSES }: ProcFolder = {},
): Promise<Seen<readonly ObservedProcess[]>> {
  const unseen: Unseen[] = []
  const places: { readonly pid: number; readonly cwd: string }[] = []
  const pids = await listPids(folder, most, unseen)
  let hidden = 0
  for (const [i, pid] of pids.entries()) {
    // oxlint-disable-next-line eslint/no-await-in-loop
    if (i % TURN === TURN - 1) await nextTurn()
    const cwd = placeOf(`${folder}/${pid}/cwd`)
    if (cwd === undefined) hidden += 1
    else if (wish.pids.has(pid) || (cwd !== '' && isWithin(cwd, wish.roots))) places.push({ pid, cwd })
  }
  if (hidden > 0)
    unseen.push({ what: 'where processes of other users work', why: `is not shown to you (${hidden})` })
  const uptimeMs = readUptimeMs(folder)
  const found: ObservedProcess[] = []
  // One after the other: of a process that hangs in the kernel the words may be long in coming.
  for (const place of places) {
    // oxlint-disable-next-line eslint/no-await-in-loop
    const process = await describe(place, folder, uptimeMs)
    if (process !== undefined) found.push(process)
  }
  return { found, unseen }
}

async function listPids(folder: string, most: number, unseen: Unseen[]): Promise<readonly number[]> {
  const pids: number[] = []
  try {
    for await (const { name } of await opendir(folder)) {
      if (!/^\d+$/.test(name)) continue
      if (pids.length === most) {
        unseen.push({ what: folder, why: `is looked at up to ${most} processes` })
        break
      }
      pids.push(Number(name))
    }
  } catch (error) {
    unseen.push({ what: folder, why: whyNot(error) })
  }
  return pids.toSorted((a, b) => a - b)
}

/** @returns undefined for a process that is not ours to look at, an empty text for one that is gone */
function placeOf(link: string): string | undefined {
  try {
    return readlinkSync(link).replace(/ \(deleted\)$/, '')
  } catch (error) {
    const code = systemErrorCode(error)
    return code === 'EACCES' || code === 'EPERM' ? undefined : ''
  }
}

async function describe(
  { pid, cwd }: { readonly pid: number; readonly cwd: string },
  folder: string,
  uptimeMs: number | undefined,
): Promise<ObservedProcess | undefined> {
  try {
    const stat = readFileSync(`${folder}/${pid}/stat`, 'utf8')
    // The name stands in parentheses and may hold anything; nothing after it does.
    const close = stat.lastIndexOf(')')
    const fields = stat.slice(close + 2).split(' ')
    // Nobody has waited for it yet; it works nowhere any more.
    if (fields[0] === 'Z' || fields[0] === 'X') return undefined
    const ticks = Number(fields[START_TIME_AFTER_NAME])
    const sinceBootMs = (ticks * 1_000) / TICKS_PER_SECOND
    return {
      pid,
      parentPid: Number(fields[PARENT_AFTER_NAME]),
      cwd,
      names: await namesOf(`${folder}/${pid}`, stat.slice(stat.indexOf('(') + 1, close)),
      startedMs: uptimeMs === undefined ? undefined : Date.now() - Math.max(0, uptimeMs - sinceBootMs),
    }
  } catch {
    // It went while it was looked at.
    return undefined
  }
}

async function namesOf(own: string, called: string): Promise<readonly string[]> {
  const program = basename(programOf(`${own}/exe`))
  const words = (await readFile(`${own}/cmdline`, 'utf8')).slice(0, MAX_WORDS_CHARS).split('\0')
  const [first = '', script = ''] = words
  const runs = [program, basename(first)].some((name) => INTERPRETERS.test(name)) ? [plainName(script)] : []
  return [...new Set([called, plainName(first), ...runs, program])].filter((name) => name !== '')
}

function programOf(link: string): string {
  try {
    return readlinkSync(link).replace(/ \(deleted\)$/, '')
  } catch {
    return ''
  }
}

/** A login shell begins with a dash, and a program may write a whole sentence in its place. */
function plainName(word: string): string {
  return basename(word.split(' ', 1)[0] ?? '').replace(/^-|\.(?:[cm]?js|py)$/g, '')
}

function readUptimeMs(folder: string): number | undefined {
  try {
    const seconds = Number(readFileSync(`${folder}/uptime`, 'utf8').split(' ', 1)[0])
    return Number.isFinite(seconds) ? seconds * 1_000 : undefined
  } catch {
    return undefined
  }
}
