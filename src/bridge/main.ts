/**
 * The bridge as a program: what it is to do comes as the first line of its stdin, and it ends when its stdin does.
 *
 * @see FED-07
 */
import { realpathSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { systemClock } from '../core/clock.ts'
import { messageOf } from '../core/thrown.ts'
import { LineSplitter } from '../core/text/lines.ts'
import { runBridge } from './bridge.ts'
import { NotInstalled } from './hub/faults.ts'
import { MAX_ERRAND_OCTETS, readErrand } from './errand.ts'

/** As the daemon's own: it was started in a way that cannot work, or something in it is broken. */
const EXIT_USAGE = 64
const EXIT_DEFECT = 70

/** Something is to be installed first; the last line of stderr says what. */
const EXIT_CONFIGURATION = 78

async function main(): Promise<number> {
  // The client of NATS cancels each request that has gone well, with an error whose stack nobody reads.
  Error.stackTraceLimit = 0
  const ending = new AbortController()
  const line = await firstLine(() => ending.abort(new Error('The daemon has ended the bridge.')))
  if (line === undefined) return EXIT_USAGE
  try {
    const errand = readErrand(line)
    await runBridge(errand, { clock: systemClock, random: Math.random }, ending.signal)
    return 0
  } catch (error) {
    if (error instanceof NotInstalled) {
      process.stderr.write(`${error.message}\n`)
      return EXIT_CONFIGURATION
    }
    // Nothing of a link file is ever in an error of its own; a stack would show more of this process than its words.
    process.stderr.write(`agentd-bridge: ${messageOf(error)}\n`)
    return EXIT_DEFECT
  }
}

/** @param onEnd - called when stdin ends after it @returns undefined where there is none */
function firstLine(onEnd: () => void): Promise<string | undefined> {
  const lines = new LineSplitter(MAX_ERRAND_OCTETS, 'cut')
  return new Promise((resolve) => {
    process.stdin.on('data', (chunk: Buffer) => {
      for (const { line } of lines.feed(chunk)) resolve(line.toString())
    })
    const end = (): void => {
      resolve(undefined)
      onEnd()
    }
    process.stdin.on('end', end)
    process.stdin.on('error', end)
  })
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  process.exitCode = await main()
  // A hub that is silent keeps its socket for a while; nothing is waited for any more.
  process.exit()
}
