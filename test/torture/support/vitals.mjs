/** What a process is made of: memory and descriptors, as /proc says. */
import { readFileSync } from 'node:fs'

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
      return { maxMiB: Math.max(...samples.map(({ rssMiB }) => rssMiB)), slopeMiBPerMinute: slopeOf(half) }
    },
  }
}

/** Least squares. */
function slopeOf(samples) {
  if (samples.length < 2) return 0
  const meanAt = samples.reduce((sum, { atMin }) => sum + atMin, 0) / samples.length
  const mean = samples.reduce((sum, { rssMiB }) => sum + rssMiB, 0) / samples.length
  const over = samples.reduce((sum, { atMin, rssMiB }) => sum + (atMin - meanAt) * (rssMiB - mean), 0)
  const under = samples.reduce((sum, { atMin }) => sum + (atMin - meanAt) ** 2, 0)
  return over / under
}
