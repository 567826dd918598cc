import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { capabilities, capabilityTable } from '../../src/runtimes/capabilities.ts'
import { RUNTIMES, findRuntime } from '../../src/runtimes/catalogue.ts'
import { codex } from '../../src/runtimes/codex/runtime.ts'
import type { Runtime } from '../../src/runtimes/record/record.ts'
import type { JsonEntry } from '../../src/runtimes/setup/files/json-file.ts'
import type { DesiredFile, SetupRequest } from '../../src/runtimes/setup/target.ts'

const CAPABILITIES = await capabilities()

const FIXTURES = join(import.meta.dirname, 'fixtures')

function isEvent(entry: JsonEntry, events: readonly string[]): boolean {
  return entry.kind === 'hook' && events.includes(entry.event)
}

/** Where the fixtures of a runtime are from, such as `captured: Claude Code 2.1.328`. */
function provenances(runtime: string): readonly string[] {
  return readdirSync(join(FIXTURES, runtime)).map((name) => {
    const { provenance }: { provenance: string } = JSON.parse(
      readFileSync(join(FIXTURES, runtime, name), 'utf8'),
    )
    return provenance
  })
}

/** Program → the version that `npm run e2e:runtimes` runs. */
const PINNED: ReadonlyMap<string, string> = new Map(
  [
    ...readFileSync(join(import.meta.dirname, 'e2e', 'support', 'packages.mjs'), 'utf8').matchAll(
      /^ {2}'?([a-z-]+)'?: \{\n {4}version: '([\d.]+)'/gm,
    ),
  ].map(([, program = '', version = '']) => [program, version]),
)

describe('what is claimed to be verified', () => {
  test.each(CAPABILITIES)('$runtime: its fixtures say the same', ({ runtime, verified }) => {
    const sources = provenances(runtime)
    const captured = sources.filter((source) => source.startsWith('captured: '))

    expect(sources.length).toBeGreaterThan(0)
    expect(verified.how).toBe(captured.length > 0 ? 'run' : 'documented')
    const versions = new Set(
      (captured.length > 0 ? captured : sources).flatMap((one) => /\d+(?:\.\d+){1,3}/.exec(one) ?? []),
    )
    // Captured once, of the version that is run or of one before it.
    expect(versions.size).toBe(captured.length > 0 ? 1 : 0)
    for (const version of versions)
      expect(version.localeCompare(verified.version ?? '', 'en', { numeric: true })).toBeLessThanOrEqual(0)
  })

  test.each(CAPABILITIES)(
    '$runtime: the version is the one that its scenarios run',
    ({ runtime, verified }) => {
      expect(verified.version).toBe(PINNED.get(runtime))
    },
  )

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
    '$runtime: what is told within a turn is what its record shows, of what set-up listens to (OP-23)',
    ({ runtime, busy, atPrompt }) => {
      const shows = findRuntime(runtime)?.shows ?? []
      const unheard = runtime === 'copilot' ? ['tool-failed'] : []
      expect([...atPrompt, ...busy].toSorted()).toEqual(
        shows.filter((name) => !unheard.includes(name)).toSorted(),
      )
    },
  )

  test('an event that set-up does not listen to is not claimed, whatever the record shows (OP-23)', async () => {
    const { about } = await codex.load()
    const files = (request: SetupRequest): readonly DesiredFile[] =>
      about.files
        .files(request)
        .map((file) =>
          file.format === 'json'
            ? { ...file, entries: file.entries.filter((entry) => !isEvent(entry, ['PostToolUse', 'Stop'])) }
            : file,
        )
    const deaf: Runtime = {
      ...codex,
      load: () => Promise.resolve({ about: { ...about, files: { ...about.files, files } } }),
    }

    const [told] = await capabilities([deaf])

    expect(codex.shows).toContain('after-tool')
    expect(told).toMatchObject({
      busy: ['before-tool'],
      atPrompt: ['session-start', 'prompt'],
      atTurnEnd: undefined,
    })
  })

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
