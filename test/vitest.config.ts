import { availableParallelism } from 'node:os'
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

/**
 * What answers within a bound or says nothing, as a hook does: beside more than the cores can do at once, that is what would be
 * tested.
 */
const TIMELY = ['hooks', 'runtimes'].map((folder) => `test/${folder}/**/*.test.ts`)

/** The others wait a quarter of their time, for a browser, a hub or a daemon that ends. */
const WORKERS = Math.ceil(availableParallelism() * 1.5)

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
    coverage: { provider: 'v8', include: ['src/**'] },
    projects: [
      {
        extends: true,
        test: {
          name: 'together',
          isolate: false,
          maxWorkers: WORKERS,
          include: TOGETHER,
          exclude: [...exclude, ALONE],
        },
      },
      {
        extends: true,
        test: {
          name: 'apart',
          maxWorkers: WORKERS,
          include: ['test/**/*.test.ts'],
          exclude: [...exclude, ...TOGETHER, ...TIMELY],
        },
      },
      { extends: true, test: { name: 'alone', maxWorkers: WORKERS, include: [ALONE], exclude } },
      {
        extends: true,
        test: {
          name: 'timely',
          // Vitest leaves a core to itself, which on two cores is half the machine.
          maxWorkers: '100%',
          sequence: { groupOrder: 1 },
          include: TIMELY,
          exclude,
        },
      },
    ],
  },
})
