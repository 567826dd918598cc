import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { hasProgram, verdictOf } from './needs.ts'

const TESTS = join(import.meta.dirname, '..')

afterEach(() => {
  vi.unstubAllEnvs()
})

test.each([
  [{ isThere: true, isInstallable: true, isCi: true }, 'run'],
  [{ isThere: true, isInstallable: false, isCi: false }, 'run'],
  [{ isThere: false, isInstallable: true, isCi: false }, 'skip'],
  [{ isThere: false, isInstallable: true, isCi: true }, 'fail'],
  [{ isThere: false, isInstallable: false, isCi: true }, 'skip'],
] as const)('with %j a test is to %s', (circumstances, verdict) => {
  expect(verdictOf(circumstances)).toBe(verdict)
})

test('a program that is not installed is an error under CI, and nothing but a skip elsewhere', () => {
  vi.stubEnv('PATH', '/nowhere')
  vi.stubEnv('CI', '1')
  expect(() => hasProgram('curl')).toThrow('curl is not installed')
  vi.stubEnv('CI', '')
  expect(hasProgram('curl')).toBe(false)
})

test('no test is left out in another way, and none is meant to run alone', () => {
  const files = readdirSync(TESTS, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.test.ts'),
  )
  const others = files.flatMap((name) => {
    const text = readFileSync(join(TESTS, name), 'utf8')
    const asksHere = /from '[./]+\/(?:support\/)?(?:needs|without-koffi|without-sqlite)\.ts'/.test(text)
    const found = text.match(
      asksHere
        ? /\b(?:test|describe|it)\.(?:skip|only|todo|skipIf)\b/g
        : /\b(?:test|describe|it)\.(?:skip|only|todo|skipIf|runIf)\b/g,
    )
    return (found ?? []).map((how) => `${name}: ${how}`)
  })

  expect(files.length).toBeGreaterThan(100)
  expect(others).toEqual([])
})
