import { configDefaults, defineConfig } from 'vitest/config'
import { findFilesWithoutSqlite } from './support/without-sqlite.ts'

export default defineConfig({
  test: {
    root: new URL('..', import.meta.url).pathname,
    include: ['test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...findFilesWithoutSqlite()],
    globalSetup: ['test/support/fresh-build.ts'],
    // A wait that is in vain, not a promise: a machine may be busy with something else.
    testTimeout: 45_000,
    hookTimeout: 45_000,
    expect: { poll: { timeout: 20_000 } },
    // Vitest leaves a core to itself, which on two cores is half the machine.
    maxWorkers: '100%',
    coverage: { provider: 'v8', include: ['src/**'] },
  },
})
