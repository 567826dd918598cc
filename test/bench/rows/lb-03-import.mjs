/** LB-03: what an import of the client costs, in CPU time, beside `node -e 0`. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ratioLine } from '../support/contest.mjs'
import { createTempDir } from '../support/processes.mjs'
import { ROOT } from '../support/root.mjs'
import { cpuOnce, timeProcesses } from '../support/whole-process.mjs'

export const row = {
  id: 'LB-03',
  async run(context) {
    const directory = createTempDir()
    const program = (name, text) => {
      const path = directory.file(`${name}.mjs`)
      writeFileSync(path, text)
      return { name, argv: [process.execPath, path], env: {} }
    }
    const bare = { name: 'node -e 0', argv: [process.execPath, '-e', '0'], env: {} }
    const entry = JSON.stringify(join(ROOT, 'dist/agentd-client/index.js'))
    const own = program('import', `import ${entry}`)
    const empty = program('empty', '')
    const times = await timeProcesses(context, [bare, own, empty], cpuOnce)
    directory.remove()
    const line = (what, name, target) =>
      ratioLine({
        what,
        unit: 'ms of CPU',
        own: times.get(name),
        peer: { name: bare.name, values: times.get(bare.name) },
        target,
      })
    return [
      line('a program that imports the client and ends', own.name, { atMost: 1.3 }),
      line('an empty module', empty.name),
    ]
  },
}
