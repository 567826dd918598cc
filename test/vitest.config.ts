import { configDefaults, defineConfig } from 'vitest/config'
import { findFilesWithoutSqlite } from './support/without-sqlite.ts'

/**
 * Folders whose files share the modules of one process per worker: what they test keeps no state in its modules, and to read the
 * same sources anew for each file took more than half of their CPU time.
 */
const TOGETHER = [
  'aee',
  'authority',
  'broker',
  'client',
  'core',
  'gateway',
  'host',
  'link',
  'mcp',
  'protocol',
  'ui',
].map((folder) => `test/${folder}/**/*.test.ts`)

/** A file of theirs that puts something else in the place of a module. */
const ALONE = 'test/protocol/plain/plain-zod.test.ts'

const exclude = [...configDefaults.exclude, ...findFilesWithoutSqlite()]

export default defineConfig({
  test: {
    root: new URL('..', import.meta.url).pathname,
    globalSetup: ['test/support/fresh-build.ts'],
    // A wait that is in vain, not a promise: a machine may be busy with something else.
    testTimeout: 45_000,
    hookTimeout: 45_000,
    expect: { poll: { timeout: 20_000 } },
    // Vitest leaves a core to itself, which on two cores is half the machine.
    maxWorkers: '100%',
    coverage: { provider: 'v8', include: ['src/**'] },
    projects: [
      {
        extends: true,
        test: { name: 'together', isolate: false, include: TOGETHER, exclude: [...exclude, ALONE] },
      },
      {
        extends: true,
        test: { name: 'apart', include: ['test/**/*.test.ts'], exclude: [...exclude, ...TOGETHER] },
      },
      { extends: true, test: { name: 'alone', include: [ALONE], exclude } },
    ],
  },
})
