import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { capabilities, capabilityTable } from '../../src/runtimes/capabilities.ts'
import { RUNTIMES, findRuntime } from '../../src/runtimes/catalogue.ts'

const CAPABILITIES = await capabilities()

const FIXTURES = join(import.meta.dirname, 'fixtures')

/** Where the fixtures of a runtime are from, such as `captured: Claude Code 2.1.328`. */
function provenances(runtime: string): readonly string[] {
  return readdirSync(join(FIXTURES, runtime)).map((name) => {
    const { provenance }: { provenance: string } = JSON.parse(
      readFileSync(join(FIXTURES, runtime, name), 'utf8'),
    )
    return provenance
  })
}

describe('what is claimed to be verified', () => {
  test.each(CAPABILITIES)('$runtime: its fixtures say the same', ({ runtime, verified }) => {
    const sources = provenances(runtime)
    const captured = sources.filter((source) => source.startsWith('captured: '))

    expect(sources.length).toBeGreaterThan(0)
    expect(verified.how).toBe(captured.length > 0 ? 'run' : 'documented')
    const versions = new Set(
      (captured.length > 0 ? captured : sources).flatMap((one) => /\d+(?:\.\d+){1,3}/.exec(one) ?? []),
    )
    expect([...versions]).toEqual(verified.version === undefined ? [] : [verified.version])
  })

  test('every runtime with fixtures is in the table, and every one of the table has some', () => {
    const folders = readdirSync(FIXTURES).filter((name) => name !== 'codex-schemas')

    expect(CAPABILITIES.map(({ runtime }) => runtime).toSorted()).toEqual(folders.toSorted())
    expect(CAPABILITIES.map(({ runtime }) => runtime).toSorted()).toEqual(
      RUNTIMES.map(({ id }) => id).toSorted(),
    )
  })
})

describe('what the adapters do', () => {
  test.each(CAPABILITIES)(
    '$runtime: what is told within a turn is what its record shows',
    ({ runtime, busy, atPrompt }) => {
      expect([...atPrompt, ...busy].toSorted()).toEqual([...(findRuntime(runtime)?.shows ?? [])].toSorted())
    },
  )

  test('idle sessions are woken where there is a way, and nowhere else', () => {
    const wakes = Object.fromEntries(CAPABILITIES.map(({ runtime, wake }) => [runtime, wake]))

    expect(wakes).toEqual({
      'claude-code': ['claude-inbox', 'async-rewake'],
      codex: ['codex-queue'],
      cursor: [],
      gemini: [],
      copilot: [],
      vscode: [],
      opencode: ['opencode-prompt'],
    })
  })

  test('everything has hooks and a server, OpenCode the hooks on request', () => {
    expect(CAPABILITIES.filter(({ hasMcp }) => !hasMcp)).toEqual([])
    const onRequest = CAPABILITIES.filter(({ setup }) => !setup.includes('hooks'))
    expect(onRequest.map(({ runtime, setupOnRequest }) => [runtime, setupOnRequest])).toEqual([
      ['opencode', ['hooks']],
    ])
  })
})

test('the table has a row for each runtime, every one as wide as its head', async () => {
  const rows = (await capabilityTable()).split('\n')

  expect(rows).toHaveLength(CAPABILITIES.length + 2)
  expect(new Set(rows.map((row) => row.split('|').length))).toEqual(new Set([10]))
})
