/**
 * Looks at one path as fast as it can and remembers every mode it ever had there, until stdin ends.
 */
import { lstatSync } from 'node:fs'

const [path] = process.argv.slice(2)
const modes = new Set()
let looks = 0
let isOver = false

process.stdin.resume().once('end', () => (isOver = true))
process.stdout.write('ready\n')

/** In slices, so that the end of stdin is seen. */
function look() {
  for (let i = 0; i < 2_000; i += 1) {
    const found = lstatSync(path, { throwIfNoEntry: false })
    looks += 1
    if (found !== undefined) modes.add((found.mode & 0o777).toString(8))
  }
  if (isOver) process.stdout.write(JSON.stringify({ looks, modes: [...modes] }))
  else setImmediate(look)
}
look()
