/**
 * A set-up that is killed at any of its writes, and what undoing makes of it.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { bundleProgram } from '../../host/child-program.ts'
import { createHome, removeLock, type Home } from './home.ts'

/** Kills itself right before the rename or removal that its fourth argument counts to. */
const PROGRAM = `
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { applyPlan } from './src/runtimes/setup/apply.ts'
import { loadRuntimes } from './src/runtimes/known-runtimes.ts'
import { planInstall } from './src/runtimes/setup/install.ts'
import { setupsNamed } from './src/runtimes/setup/selection.ts'
import { setupOf } from './src/runtimes/setup/target.ts'
import { planUninstall } from './src/runtimes/setup/uninstall.ts'
const [verb, request, names, nth] = process.argv.slice(2).map((word) => JSON.parse(word))
let left = nth
for (const name of verb === 'undo' ? ['renameSync', 'unlinkSync'] : ['renameSync']) {
  const real = fs[name]
  fs[name] = (...args) => {
    if (left-- === 0) process.kill(process.pid, 'SIGKILL')
    real(...args)
  }
}
syncBuiltinESMExports()
const setups = setupsNamed((await loadRuntimes()).map(setupOf), names)
const plan = () => (verb === 'undo' ? planUninstall(setups, request, false) : planInstall(setups, request))
await applyPlan(plan, undefined, request.paths.environment)
process.stdout.write(String(nth - left))
`

const NAMES = ['claude-code', 'codex', 'opencode']

/** Renames of a whole set-up: three records, and two files of Codex, one each of the others. */
const WRITES = 7

/** Steps of undoing it: renames, removals, and looks for what a killed one left. */
const MOST_STEPS = 40

test('killed before any of its writes, a set-up can be taken back, and done anew', async () => {
  await using program = await bundleProgram(PROGRAM)
  for (let nth = 0; nth <= WRITES; nth += 1) {
    await using home = await createHome()
    fill(home)
    const before = home.snapshot()

    const { signal, stdout } = run(program.path, home, nth)
    removeLock(home)
    const done = await home.undoAll()
    const after = home.snapshot()

    expect({ nth, signal, stdout }).toEqual(
      nth < WRITES ? { nth, signal: 'SIGKILL', stdout: '' } : { nth, signal: null, stdout: String(WRITES) },
    )
    expect(done.flatMap(({ step, failure }) => failure ?? step.refusal ?? [])).toEqual([])
    expect(after, `killed before write ${nth}`).toEqual(before)
  }
})

test('killed in the middle, a set-up is finished by the next, and undone to the first bytes', async () => {
  await using program = await bundleProgram(PROGRAM)
  for (let nth = 1; nth < WRITES; nth += 1) {
    await using home = await createHome()
    fill(home)
    const before = home.snapshot()
    run(program.path, home, nth)
    removeLock(home)

    await home.install(NAMES)
    expect(home.read('.codex/config.toml')).toContain('agentd.cjs')
    await home.undoAll()

    expect(home.snapshot(), `killed before write ${nth}`).toEqual(before)
  }
})

test('killed anywhere, an undoing is finished by the next', async () => {
  await using program = await bundleProgram(PROGRAM)
  for (let nth = 0, isKilled = true; isKilled; nth += 1) {
    await using home = await createHome()
    fill(home)
    const before = home.snapshot()
    await home.install(NAMES)

    isKilled = run(program.path, home, nth, 'undo').signal !== null
    removeLock(home)
    await home.undoAll()

    expect(home.snapshot(), `killed before step ${nth}`).toEqual(before)
    expect(nth).toBeLessThan(MOST_STEPS)
  }
})

test('the lock of a killed set-up is taken over', async () => {
  await using program = await bundleProgram(PROGRAM)
  await using home = await createHome()
  run(program.path, home, 2)
  expect(existsSync(home.dir.file('state', 'setup', 'lock'))).toBe(true)

  await home.undoAll()

  expect(home.snapshot()).toEqual({})
})

function fill(home: Home): void {
  home.write('.claude/settings.json', '{\n  "model": "opus", // mine\n}\n')
  home.write('.codex/config.toml', '# mine\nmodel = "x"\n')
}

function run(
  program: string,
  home: Home,
  nth: number,
  verb = 'install',
): { signal: string | null; stdout: string } {
  const args = [verb, home.request, NAMES, nth].map((value) => JSON.stringify(value))
  const { signal, stdout } = spawnSync(process.execPath, [program, ...args], { encoding: 'utf8' })
  return { signal, stdout }
}
