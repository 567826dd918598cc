import { configDefaults, defineConfig } from 'vitest/config'
import { findFilesWithoutSqlite } from './support/without-sqlite.ts'

/** What puts something else in the place of a module, which others of its process would have too. */
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
    // Files of one worker share their modules: what they test keeps no state in them, and to read the same sources anew for
    // each file took a third of the CPU time.
    isolate: false,
    projects: [
      { extends: true, test: { name: 'all', include: ['test/**/*.test.ts'], exclude: [...exclude, ALONE] } },
      { extends: true, test: { name: 'alone', isolate: true, include: [ALONE], exclude } },
    ],
  },
})
