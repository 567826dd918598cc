/**
 * The machine under the bench: its cores, what its processes have cost, and what everybody else was doing.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, readdirSync } from 'node:fs'
import { loadavg } from 'node:os'
import { sleep } from './waiting.mjs'

/** The unit of /proc/<pid>/stat; the kernel's USER_HZ is 100 on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100

/** How long one look at what others do takes, in milliseconds. */
const LOOK_MS = 400

/** Cores' worth of other people's work that still counts as quiet. */
const QUIET_CORES = 0.15

/** Where a command is; undefined when there is none of that name here. */
export function findCommand(name) {
  try {
    return execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim()
  } catch {
    return undefined
  }
}

/** Whether a command can be run here. */
export function hasCommand(name) {
  return findCommand(name) !== undefined
}

function readOptional(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

/** The cores this process may run on, by number; empty where the system does not say. */
function readCores() {
  const list = /^Cpus_allowed_list:\s*(\S+)/m.exec(readOptional('/proc/self/status') ?? '')?.[1] ?? ''
  return list.split(',').flatMap((range) => {
    const [first, last = first] = range.split('-').map(Number)
    return range === '' ? [] : Array.from({ length: last - first + 1 }, (_, i) => first + i)
  })
}

/** As they were before anything was pinned. */
const CORES = readCores()

/** One core for what is measured and one for who measures; undefined where that cannot be had. */
function readPinning() {
  const [server, client] = CORES
  return client === undefined || !hasCommand('taskset') ? undefined : { server, client }
}

export const PINNING = readPinning()

/** Moves this process, all its threads and whatever it will start to the client's core. */
export function pinClient() {
  if (PINNING === undefined) return
  execFileSync('taskset', ['-acp', String(PINNING.client), String(process.pid)], { stdio: 'ignore' })
}

/** A command line that runs on the server's core; taskset becomes the command, so the process id is its. */
export function onServerCore(command) {
  return PINNING === undefined ? command : ['taskset', '-c', String(PINNING.server), ...command]
}

/** A command line that runs on all cores, for what is started from the client's and is neither side. */
export function onEveryCore(command) {
  return PINNING === undefined ? command : ['taskset', '-c', CORES.join(','), ...command]
}

/** Lets a process that was started from the client's core run on all of them, with what it starts from now on. */
export function spreadOut(pid) {
  if (PINNING === undefined) return
  execFileSync('taskset', ['-acp', CORES.join(','), String(pid)], { stdio: 'ignore' })
}

/** CPU seconds a process has used, all threads together; undefined where /proc is not. */
export function readCpuSeconds(pid) {
  const fields = statFields(pid)
  return fields === undefined ? undefined : (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}

/** As {@link readCpuSeconds}, in nanosecond steps, of the threads that live; for processes that do nearly nothing. */
export function readFineCpuSeconds(pid) {
  try {
    const threads = readdirSync(`/proc/${pid}/task`)
    const times = threads.map((id) =>
      Number(readFileSync(`/proc/${pid}/task/${id}/schedstat`, 'utf8').split(' ')[0]),
    )
    const seconds = times.reduce((sum, time) => sum + time, 0) / 1e9
    return seconds > 0 ? seconds : readCpuSeconds(pid)
  } catch {
    return readCpuSeconds(pid)
  }
}

/** CPU seconds of a process's own loop, without the threads beside it; undefined where /proc does not say. */
export function readLoopCpuSeconds(pid) {
  const text = readOptional(`/proc/${pid}/task/${pid}/schedstat`)
  return text === undefined ? undefined : Number(text.split(' ')[0]) / 1e9
}

/** What stands after the name, which may hold blanks and brackets itself. */
function statFields(pid) {
  const text = readOptional(`/proc/${pid}/stat`)
  return text?.slice(text.lastIndexOf(')') + 2).split(' ')
}

/** Resident memory in bytes; undefined where /proc is not. */
export function readResidentBytes(pid) {
  const kilobytes = /^VmRSS:\s+(\d+)/m.exec(readOptional(`/proc/${pid}/status`) ?? '')?.[1]
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024
}

/** Memory that only this process has; undefined where /proc does not say. */
export function readPrivateBytes(pid) {
  const found = [...(readOptional(`/proc/${pid}/smaps_rollup`) ?? '').matchAll(/^Private_\w+:\s+(\d+)/gm)]
  return found.length === 0
    ? undefined
    : found.reduce((sum, [, kilobytes]) => sum + Number(kilobytes), 0) * 1024
}

/** Processes that a process has started. */
export function childrenOf(pid) {
  const list = readOptional(`/proc/${pid}/task/${pid}/children`) ?? ''
  return list.split(' ').filter(Boolean).map(Number)
}

/** Descriptors this process may hold; Node has raised the soft limit to the hard one. */
export function descriptorLimit() {
  const limit = /^Max open files\s+\S+\s+(\d+)/m.exec(readOptional('/proc/self/limits') ?? '')?.[1]
  return limit === undefined ? 1_024 : Number(limit)
}

/** Seconds all cores have been busy, and how many of them the hypervisor took away. */
function readBusySeconds() {
  const [, ...ticks] = (readOptional('/proc/stat') ?? '').split('\n')[0].split(/\s+/).map(Number)
  if (ticks.length < 8) return undefined
  const [user, nice, system, , , irq, softirq, steal] = ticks
  return {
    busy: (user + nice + system + irq + softirq + steal) / TICKS_PER_SECOND,
    steal: steal / TICKS_PER_SECOND,
  }
}

/** CPU seconds of this process and of every child it has already waited for. */
function readOwnSeconds() {
  const fields = statFields('self')
  return fields === undefined
    ? 0
    : fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_PER_SECOND
}

/**
 * Watches what the rest of the machine does from now on.
 *
 * @returns `stop()` gives `{foreignCores, stealCores, load}`; children still running then count as foreign
 */
export function watchNoise() {
  const startedMs = performance.now()
  const busy = readBusySeconds()
  const own = readOwnSeconds()
  return {
    stop() {
      const now = readBusySeconds()
      const load = round(loadavg()[0])
      if (now === undefined || busy === undefined) return { foreignCores: null, stealCores: null, load }
      const seconds = (performance.now() - startedMs) / 1_000
      const foreign = Math.max(0, now.busy - busy.busy - (readOwnSeconds() - own)) / seconds
      return { foreignCores: round(foreign), stealCores: round((now.steal - busy.steal) / seconds), load }
    },
  }
}

function round(value) {
  return Math.round(value * 100) / 100
}

/** Waits until nobody else works, at the longest `waitMs`. @returns whether it became quiet */
export async function waitForQuiet(waitMs) {
  const startedMs = performance.now()
  while (performance.now() - startedMs < waitMs) {
    const noise = watchNoise()
    await sleep(LOOK_MS)
    const { foreignCores } = noise.stop()
    if (foreignCores === null || foreignCores < QUIET_CORES) return true
  }
  return false
}
