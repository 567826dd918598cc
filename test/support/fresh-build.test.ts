import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findStaleBuild, writeStamp } from '../../build-stamp.mjs'
import { createTempDir, type TempDir } from './temp-dir.ts'

/** A small project, built. */
function project(dir: TempDir): string {
  const root = dir.file('project')
  mkdirSync(join(root, 'src', 'core'), { recursive: true })
  mkdirSync(join(root, 'conformance'))
  mkdirSync(join(root, 'dist'))
  for (const name of [
    'build.mjs',
    'bundle.mjs',
    'bundle-client.mjs',
    'roll-up.mjs',
    'short-names.mjs',
    'build-stamp.mjs',
    'package.json',
    'tsconfig.json',
    'src/core/a.ts',
    'src/b.ts',
    'conformance/vectors.jsonl',
  ]) {
    writeFileSync(join(root, name), name.endsWith('.json') ? '{}' : name)
  }
  writeStamp(root)
  return root
}

test('right after a build nothing is stale, in a copy and with other times as well', async () => {
  await using dir = await createTempDir()
  const root = project(dir)
  expect(findStaleBuild(root)).toBeUndefined()

  cpSync(root, dir.file('copy'), { recursive: true })
  utimesSync(dir.file('copy', 'src', 'b.ts'), new Date(), new Date(Date.now() + 3_600_000))

  expect(findStaleBuild(dir.file('copy'))).toBeUndefined()
})

test.each<[string, (root: string) => void]>([
  ['a file that was changed', (root) => writeFileSync(join(root, 'src', 'core', 'a.ts'), 'changed')],
  ['a file that was added', (root) => writeFileSync(join(root, 'src', 'c.ts'), '')],
  ['a file that was removed', (root) => rmSync(join(root, 'src', 'b.ts'))],
  [
    'a file that was moved',
    (root) => renameSync(join(root, 'src', 'b.ts'), join(root, 'src', 'core', 'b.ts')),
  ],
  [
    'a vector that was changed',
    (root) => writeFileSync(join(root, 'conformance', 'vectors.jsonl'), 'changed'),
  ],
  ['how the build is made', (root) => writeFileSync(join(root, 'bundle.mjs'), 'changed')],
])('%s makes the build one of yesterday, and the sentence says what to run', async (_, change) => {
  await using dir = await createTempDir()
  const root = project(dir)

  change(root)

  expect(findStaleBuild(root)).toMatch(/changed since dist was built.*"npm run build"/)
})

test('where nothing was built, that is said', async () => {
  await using dir = await createTempDir()
  const root = project(dir)
  rmSync(join(root, 'dist'), { recursive: true })

  expect(findStaleBuild(root)).toMatch(/no build to test.*"npm run build"/)
})

/** What the configuration loads. */
const OF_CONFIG = [
  ...['fresh-build.ts', 'without-sqlite.ts', 'needs.ts', 'chromium-path.mjs'].map(
    (name) => `test/support/${name}`,
  ),
  'src/core/versions.ts',
  'src/store/driver',
]

test('the tests do not begin on an old build', async () => {
  await using dir = await createTempDir()
  const root = project(dir)
  writeFileSync(join(root, 'src', 'b.ts'), 'changed')
  mkdirSync(join(root, 'test', 'support'), { recursive: true })
  for (const name of ['build-stamp.mjs', 'test/vitest.config.ts', ...OF_CONFIG]) {
    cpSync(join(import.meta.dirname, '..', '..', name), join(root, name), { recursive: true })
  }
  writeFileSync(
    join(root, 'test', 'x.test.ts'),
    `import { test } from 'vitest'\ntest('ran', () => console.log('it ran'))\n`,
  )
  cpSync(join(import.meta.dirname, '..', '..', 'package.json'), join(root, 'package.json'))
  const packages = join(import.meta.dirname, '..', '..', 'node_modules')
  symlinkSync(packages, join(root, 'node_modules'))

  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(packages, 'vitest', 'vitest.mjs'), 'run', '--config', 'test/vitest.config.ts'],
    { cwd: root, encoding: 'utf8' },
  )

  expect(status).not.toBe(0)
  expect(stdout + stderr).toContain('run "npm run build"')
  expect(stdout).not.toContain('it ran')
})
