import { availableParallelism } from 'node:os'
import { configDefaults, defineConfig } from 'vitest/config'
import { findFilesWithoutSqlite } from './support/without-sqlite.ts'

/** What puts something else in the place of a module, which others of its process would have too. */
const ALONE = 'test/protocol/plain/plain-zod.test.ts'

/**
 * What answers within a bound or says nothing, as a hook does: beside more than the cores can do at once, that is what would be
 * tested.
 */
const TIMELY = ['hooks', 'runtimes'].map((folder) => `test/${folder}/**/*.test.ts`)

/** The others wait a quarter of their time, for a browser, a hub or a daemon that ends. */
const WORKERS = Math.ceil(availableParallelism() * 1.5)

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
    // Files of one worker share their modules: what they test keeps no state in them, and to read the same sources anew for
    // each file took a third of the CPU time.
    isolate: false,
    projects: [
      {
        extends: true,
        test: {
          name: 'all',
          maxWorkers: WORKERS,
          include: ['test/**/*.test.ts'],
          exclude: [...exclude, ALONE, ...TIMELY],
        },
      },
      {
        extends: true,
        test: { name: 'alone', isolate: true, maxWorkers: WORKERS, include: [ALONE], exclude },
      },
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
