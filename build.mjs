/**
 * `npm run build`: makes everything in a folder of its own beside `dist`, and puts that in the place of `dist` when it is whole.
 *
 * So a command that is called meanwhile finds what was there before, a build that fails or is killed leaves it as it was, and of
 * two at once the one that ends last counts. Between two renames there is no `dist`: the launcher says so and ends with 75.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

process.chdir(fileURLToPath(new URL('.', import.meta.url)))

const MADE = `dist.${process.pid}`
const BEFORE = `dist.${process.pid}.old`

/** How often it makes room, where another build ends in the same moment. */
const MOST_TRIES = 10

/** What a build is, in order, each a program of Node's. */
const STEPS = [
  ['node_modules/typescript/bin/tsc', '-p', '.', '--outDir', MADE],
  ['bundle.mjs', MADE],
  [`${MADE}/cli/write-schemas.js`, `${MADE}/schemas`],
  [`${MADE}/cli/write-manual.js`, `${MADE}/man`],
  ['conformance/build.mjs', MADE],
  ['build-stamp.mjs', MADE],
]

// At once: the launcher looks for it where there is no `dist` yet.
remove(MADE)
mkdirSync(MADE)
const status = run()
if (status === 0) takePlace()
else process.exitCode = status
remove(MADE)
removeLeftovers()

/** @returns how the first step ended that failed; 0 when all went well */
function run() {
  for (const step of STEPS) {
    const { status } = spawnSync(process.execPath, step, { stdio: 'inherit' })
    if (status !== 0) return status ?? 1
  }
  return 0
}

function takePlace() {
  for (let tries = 1; ; tries += 1) {
    if (existsSync('dist')) moveAside()
    try {
      renameSync(MADE, 'dist')
      return
    } catch (error) {
      if (!['ENOTEMPTY', 'EEXIST'].includes(error.code) || tries === MOST_TRIES) throw error
    } finally {
      remove(BEFORE)
    }
  }
}

function moveAside() {
  try {
    renameSync('dist', BEFORE)
  } catch (error) {
    // The other build was faster.
    if (error.code !== 'ENOENT') throw error
  }
}

/** What a build has left that was killed. */
function removeLeftovers() {
  for (const name of readdirSync('.')) {
    const pid = /^dist\.(\d+)(?:\.old)?$/.exec(name)?.[1]
    if (pid !== undefined && !isAlive(Number(pid))) remove(name)
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code !== 'ESRCH'
  }
}

function remove(folder) {
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
}
