/** What a process is made of: memory and descriptors, as /proc says. */
import { readFileSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { slopeOf } from './statistics.mjs'

/** Resident memory now and at its peak, in MiB. */
export function readMemory(pid) {
  const text = readFileSync(`/proc/${pid}/status`, 'utf8')
  const read = (name) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0) / 1024
  return { rssMiB: read('VmRSS'), peakMiB: read('VmHWM') }
}

/** Takes a sample every so often. @returns `stop()` gives `{maxMiB, slopeMiBPerMinute}` over the second half */
export function sampleMemory(pid, everyMs = 250) {
  const samples = []
  const startedMs = performance.now()
  const timer = setInterval(() => {
    samples.push({ atMin: (performance.now() - startedMs) / 60_000, rssMiB: readMemory(pid).rssMiB })
  }, everyMs)
  return {
    stop() {
      clearInterval(timer)
      const half = samples.slice(Math.floor(samples.length / 2))
      return {
        maxMiB: Math.max(...samples.map(({ rssMiB }) => rssMiB)),
        slopeMiBPerMinute: slopeOf(half.map(({ atMin, rssMiB }) => ({ x: atMin, y: rssMiB }))),
      }
    },
  }
}

/** Clock ticks of /proc/PID/stat a second; what Linux has told programs for ever. */
const TICKS_PER_SECOND = 100

/** Processor time so far, in milliseconds. */
export function readCpuMs(pid) {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The name stands in brackets and may hold anything; user and system time are the 12th and 13th behind it.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return ((Number(fields[11]) + Number(fields[12])) * 1_000) / TICKS_PER_SECOND
}

/** Octets under a directory; what goes while it is looked at counts nothing. */
function octetsUnder(path, isCounted) {
  let octets = 0
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const file = join(path, entry.name)
    if (entry.isDirectory()) octets += octetsUnder(file, isCounted)
    else if (entry.isFile() && isCounted(entry.name))
      octets += statSync(file, { throwIfNoEntry: false })?.size ?? 0
  }
  return octets
}

/**
 * Everything that may grow, again and again.
 *
 * @param daemon - of `startDaemon`
 * @param options.framesOf - how many frames it has accepted
 * @returns `stop()` gives samples `{atMs, rssMiB, storeMiB, logOctets, descriptors, cpuMs, frames}`
 */
export function startVitals(daemon, { everyMs, framesOf }) {
  const samples = []
  const startedMs = performance.now()
  const timer = setInterval(() => {
    const state = daemon.dir.file('state')
    samples.push({
      atMs: performance.now() - startedMs,
      rssMiB: readMemory(daemon.pid).rssMiB,
      storeMiB: octetsUnder(state, (name) => !name.endsWith('.log')) / 2 ** 20,
      logOctets: daemon.stderr().length,
      descriptors: readdirSync(`/proc/${daemon.pid}/fd`).length,
      cpuMs: readCpuMs(daemon.pid),
      frames: framesOf(),
    })
  }, everyMs)
  return {
    stop() {
      clearInterval(timer)
      return samples
    },
  }
}
