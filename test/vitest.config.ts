import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    root: new URL('..', import.meta.url).pathname,
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/fresh-build.ts'],
    testTimeout: 20_000,
    hookTimeout: 30_000,
    // Vitest leaves a core to itself, which on two cores is half the machine.
    maxWorkers: '100%',
    coverage: { provider: 'v8', include: ['src/**'] },
  },
})
