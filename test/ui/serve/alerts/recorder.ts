/**
 * A program that stands in for the one which shows notifications: it writes down its arguments, as it got them.
 */
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { TempDir } from '../../../support/temp-dir.ts'

/** The recorder, on a path of its own. */
export interface Recorder {
  /** What a program is started with that is to find it. */
  readonly env: Readonly<Record<string, string>>
  /** The arguments of every call so far, the oldest first. */
  calls(): readonly (readonly string[])[]
}

/** @param name - of the program it stands in for @param then - what it does after it has written: JavaScript */
export function installRecorder(dir: TempDir, name: string, then = ''): Recorder {
  const bin = dir.file('recorders')
  const record = dir.file(`${name}.calls`)
  mkdirSync(bin, { recursive: true })
  const append = `require('node:fs').appendFileSync(${JSON.stringify(record)}, JSON.stringify(process.argv.slice(2)) + '\\n')`
  writeFileSync(`${bin}/${name}`, `#!${process.execPath}\n${append}\n${then}\n`)
  chmodSync(`${bin}/${name}`, 0o755)
  return {
    env: { PATH: bin },
    calls() {
      if (!existsSync(record)) return []
      const lines = readFileSync(record, 'utf8').split('\n')
      return lines.filter((line) => line !== '').map((line) => JSON.parse(line))
    },
  }
}

/** What `notify-send` and a desktop make of the body it is given: escapes as in C, then markup. */
export function shownByDesktop(body: string): string {
  const read = body.replaceAll(/\\(.)/g, (_, letter: string) => ({ n: '\n', t: '\t' })[letter] ?? letter)
  if (/<|&(?!(?:amp|lt|gt);)/.test(read)) throw new Error(`markup of somebody else's: ${read}`)
  return read.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
}
