/**
 * The trial of one mutant: the tests run against it in a process of their own, which is ended when it takes too long.
 */
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const VITEST = fileURLToPath(new URL('../../../node_modules/vitest/vitest.mjs', import.meta.url))
const CONFIG = fileURLToPath(new URL('../vitest.config.ts', import.meta.url))

/** How a run of the tests ended: with a code of its own, or because its time was over. */
export function runTests(tests, { mutant, timeoutMs }) {
  const child = spawn(process.execPath, [VITEST, 'run', '--config', CONFIG, ...tests], {
    // The mutant is put in while the tests load their sources; none is ever written to the disk.
    env: { ...process.env, AGENTD_MUTANT: mutant === undefined ? '' : JSON.stringify(mutant) },
    // A group of its own: its workers go with it.
    detached: true,
    stdio: 'ignore',
  })
  return new Promise((resolve, reject) => {
    const cut = setTimeout(() => process.kill(-child.pid, 'SIGKILL'), timeoutMs)
    child.once('error', reject)
    child.once('exit', (code) => {
      clearTimeout(cut)
      resolve(code ?? 'timeout')
    })
  })
}

/**
 * Tries a mutant: first with the tests beside the file, then with all the others of its layer.
 *
 * @returns `killed`, `timeout` (which kills it as well) or `survived`
 */
export async function tryMutant(mutant, stages, timeoutMs) {
  for (const tests of stages) {
    const end = await runTests(tests, { mutant, timeoutMs })
    if (end === 'timeout') return 'timeout'
    if (end !== 0) return 'killed'
  }
  return 'survived'
}
