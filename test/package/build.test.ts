/** Building while agentd is used: a small project with the real build around it and the real launcher (CONTRIBUTING.md). */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test, vi } from 'vitest'
import { createTempDir, type TempDir } from '../support/temp-dir.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** What stands for the compiler: a command whose parts have other names in each build, and a part that it loads late. */
const COMPILER = `
import { mkdirSync, writeFileSync } from 'node:fs'
const out = process.argv.at(-1)
const write = (name, text) => writeFileSync(out + '/' + name, text)
mkdirSync(out + '/cli/fast', { recursive: true })
write('cli/fast/fast.cjs', 'exports.runFast = async (argv, { main }) => (await main()).main(argv)')
write('cli/fast/hook-fast.cjs', 'exports.runHook = async () => {}')
write('cli/part-' + process.pid + '.js', 'export const says = "well"')
write('cli/main.js', 'export async function main() { console.log((await import("./part-' + process.pid + '.js")).says) }')
for (const name of ['write-schemas', 'write-manual']) write('cli/' + name + '.js', '')
`

/** The next step waits until the file \`go\` is there, and fails where it says so. */
const BUNDLER = `
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
writeFileSync('waits', '')
while (!existsSync('go')) await new Promise((resolve) => void setTimeout(resolve, 5))
process.exitCode = Number(readFileSync('go', 'utf8'))
`

function project(dir: TempDir): string {
  const root = dir.file('project')
  const files = {
    'package.json': '{"type":"module"}',
    'node_modules/typescript/package.json': '{"type":"module"}',
    'node_modules/typescript/bin/tsc': COMPILER,
    'bundle.mjs': BUNDLER,
    'conformance/build.mjs': '',
    'build-stamp.mjs': '',
  }
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    writeFileSync(join(root, name), text)
  }
  for (const name of ['build.mjs', 'bin/agentd.cjs']) cpSync(join(ROOT, name), join(root, name))
  return root
}

function call(root: string, ...words: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(root, 'bin', 'agentd.cjs'), ...words],
    {
      encoding: 'utf8',
    },
  )
  return { status, stdout, stderr }
}

/** Starts a build. @returns it, once its compiler is through */
async function build(root: string) {
  rmSync(join(root, 'waits'), { force: true })
  const child = spawn(process.execPath, [join(root, 'build.mjs')], { stdio: 'ignore' })
  const ended = once(child, 'exit')
  await vi.waitFor(() => expect(existsSync(join(root, 'waits'))).toBe(true), 20_000)
  return { child, ended }
}

function letGo(root: string, code = 0): void {
  writeFileSync(join(root, 'go'), String(code))
}

const folders = (root: string): readonly string[] =>
  readdirSync(root).filter((name) => name.startsWith('dist'))

test('a command that is called while agentd is built anew finds all of it, and is never a defect', async () => {
  await using dir = await createTempDir()
  const root = project(dir)
  letGo(root)
  spawnSync(process.execPath, [join(root, 'build.mjs')])
  rmSync(join(root, 'go'))
  const { ended } = await build(root)
  const before = call(root, 'status')

  letGo(root)
  const over = new AbortController()
  void ended.then(() => over.abort())
  const meanwhile = []
  do {
    meanwhile.push(call(root, 'status'))
    await new Promise((resolve) => void setImmediate(resolve))
  } while (!over.signal.aborted)
  const [code] = await ended

  expect([code, before.status, before.stdout]).toEqual([0, 0, 'well\n'])
  for (const { status, stderr } of meanwhile) {
    expect([0, 75]).toContain(status)
    expect(stderr).toMatch(status === 0 ? /^$/ : /^agentd is being built or updated; try again/)
  }
  expect(call(root, 'status')).toEqual({ status: 0, stdout: 'well\n', stderr: '' })
  expect(folders(root)).toEqual(['dist'])
})

test('where nothing is built yet a command says whether it is being built, and a hook says nothing', async () => {
  await using dir = await createTempDir()
  const root = project(dir)
  const unbuilt = call(root, 'status')
  const { child, ended } = await build(root)

  const building = call(root, 'status')
  const hook = call(root, 'hook')
  letGo(root)
  await ended

  expect(unbuilt).toMatchObject({ status: 70, stderr: expect.stringContaining('not built yet') })
  expect(building).toMatchObject({ status: 75, stderr: expect.stringContaining('is being built') })
  expect(hook).toEqual({ status: 0, stdout: '', stderr: '' })
  expect([child.exitCode, call(root, 'status').status]).toEqual([0, 0])
})

test('a build that fails or is killed leaves what was there, and the next one takes away what it left', async () => {
  await using dir = await createTempDir()
  const root = project(dir)
  letGo(root)
  spawnSync(process.execPath, [join(root, 'build.mjs')])
  const parts = readdirSync(join(root, 'dist', 'cli'))

  letGo(root, 3)
  const failed = spawnSync(process.execPath, [join(root, 'build.mjs')])
  rmSync(join(root, 'go'))
  const { child, ended } = await build(root)
  child.kill('SIGKILL')
  await ended
  const left = folders(root)

  expect(failed.status).toBe(3)
  expect(left).toEqual(['dist', `dist.${child.pid}`])
  expect(readdirSync(join(root, 'dist', 'cli'))).toEqual(parts)
  expect(call(root, 'status').status).toBe(0)
  letGo(root)
  spawnSync(process.execPath, [join(root, 'build.mjs')])
  expect(folders(root)).toEqual(['dist'])
})

test('of builds at once each ends well, and one of them is there, whole', async () => {
  await using dir = await createTempDir()
  const root = project(dir)
  const builds = [await build(root), await build(root), await build(root)]

  letGo(root)
  const codes = await Promise.all(builds.map(async ({ ended }) => (await ended)[0]))

  expect(codes).toEqual([0, 0, 0])
  expect(folders(root)).toEqual(['dist'])
  expect(call(root, 'status')).toEqual({ status: 0, stdout: 'well\n', stderr: '' })
})

test('a command whose part was taken away under it says that agentd is updated, and ends with 75', async () => {
  await using dir = await createTempDir()
  const root = project(dir)
  letGo(root)
  spawnSync(process.execPath, [join(root, 'build.mjs')])
  const [part = ''] = readdirSync(join(root, 'dist', 'cli')).filter((name) => name.startsWith('part-'))
  rmSync(join(root, 'dist', 'cli', part))

  const { status, stderr } = call(root, 'status')

  expect([status, stderr]).toEqual([
    75,
    readFileSync(join(ROOT, 'bin', 'agentd.cjs'), 'utf8').match(/BEING_BUILT =\s+'(.*)'/)?.[1] + '\n',
  ])
})
