/**
 * Whole processes, from the spawn to the end, one after the other and by turns.
 */
import { spawnSync } from 'node:child_process'
import { median } from './statistics.mjs'

/** Runs what it is given, and says its user and its system time on a last line. */
const TIMED = 'TIMEFORMAT="%3U %3S"; time "$@"'

/** A process that takes longer has failed, in milliseconds. */
const LIMIT_MS = 20_000

/**
 * Times each command again and again, interleaved.
 *
 * @param commands - `{name, argv, env, input}`
 * @param measure - one run of one command, in milliseconds: of the clock, or of CPU
 * @returns Map from the name to the medians of the rounds, in milliseconds
 * @throws Error when one does not end with 0
 */
export async function timeProcesses({ scale, quiet }, commands, measure = runOnce) {
  const medians = new Map(commands.map(({ name }) => [name, []]))
  for (const command of commands) measure(command)
  for (let round = 0; round < scale.rounds; round += 1) {
    await quiet()
    const times = new Map(commands.map(({ name }) => [name, []]))
    for (let i = 0; i < scale.processes; i += 1) {
      for (const command of commands) times.get(command.name).push(measure(command))
    }
    for (const [name, samples] of times) medians.get(name).push(median(samples))
  }
  return medians
}

/** @returns milliseconds */
export function runOnce(command) {
  const { ms, status, output } = tryOnce(command)
  if (status !== 0) throw new Error(`${command.name} ended with ${status}: ${output.slice(0, 400)}`)
  return ms
}

/** User and system time of a whole process, as bash counts it. @returns milliseconds */
export function cpuOnce({ name, argv, env, input }) {
  const { status, output } = tryOnce({ argv: ['bash', '-c', TIMED, 'bash', ...argv], env, input })
  const seconds = /(\d+\.\d{3}) (\d+\.\d{3})\n$/.exec(output)
  if (status !== 0 || seconds === null)
    throw new Error(`${name} ended with ${status}: ${output.slice(0, 400)}`)
  return (Number(seconds[1]) + Number(seconds[2])) * 1_000
}

/** @returns `{ms, status, output}` */
export function tryOnce({ argv, env, input = '' }) {
  const [program, ...args] = argv
  const startedMs = performance.now()
  const { status, stderr, error } = spawnSync(program, args, { env, input, timeout: LIMIT_MS })
  const ms = performance.now() - startedMs
  return { ms, status: status ?? -1, output: error === undefined ? stderr.toString('utf8') : error.message }
}
