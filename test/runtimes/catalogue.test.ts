/**
 * The table of runtimes: another one is a folder and a row (docs/runtimes.md §10).
 */
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createProgram } from '../../src/cli/program.ts'
import { Identities } from '../../src/mcp/session/identity.ts'
import { RUNTIMES } from '../../src/runtimes/catalogue.ts'
import { capabilityTable } from '../../src/runtimes/capabilities.ts'
import { findTargets } from '../../src/runtimes/doctor/target.ts'
import { findOrigin } from '../../src/runtimes/events/origin.ts'
import { readEvent } from '../../src/runtimes/events/event.ts'
import { loadRuntimes } from '../../src/runtimes/known-runtimes.ts'
import { mcpHosts } from '../../src/runtimes/mcp-hosts.ts'
import type { Runtime, RuntimeAbout } from '../../src/runtimes/record/record.ts'
import { setupsNamed } from '../../src/runtimes/setup/selection.ts'
import { setupOf } from '../../src/runtimes/setup/target.ts'
import { surroundings } from '../host/surroundings.ts'
import { desiredRequest } from './setup/desired-files.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const FOLDER = join(ROOT, 'src', 'runtimes')

const about: RuntimeAbout = {
  title: 'Emacs',
  programs: ['emacs'],
  verified: { how: 'run', version: '31.1' },
  files: {
    home: ({ environment }) => join(environment.homeDir, '.emacs.d'),
    readAtStart: ['hooks'],
    files: ({ paths }) => [
      {
        path: join(paths.project, 'agentd.el'),
        part: 'hooks',
        format: 'whole',
        text: "(listen 'turn-ended-hook' 'prompt-hook')",
      },
    ],
    notes: () => [],
  },
  doctor: { switches: () => [] },
}

/** One that nobody has heard of. */
const emacs: Runtime = {
  id: 'emacs',
  tool: 'emacs',
  agentPrograms: ['emacs'],
  eventNames: { 'turn-ended-hook': 'turn-end', 'prompt-hook': 'prompt' },
  isFrom: (payload) => Object.hasOwn(payload, 'emacs_version'),
  output: {
    context: (text) => ({ text }),
    denial: () => undefined,
    continuation: (text) => ({ text }),
  },
  shows: ['prompt'],
  atTurnEnd: 'emacs-loop',
  sessionVariable: 'EMACS_SESSION',
  mcpClients: ['emacs-mcp'],
  load: () => Promise.resolve({ about }),
}

const EIGHT = [...RUNTIMES, emacs]

test('every folder with a record is a row of the table, and every row has a folder of its name', () => {
  const folders = readdirSync(FOLDER).filter((name) => existsSync(join(FOLDER, name, 'runtime.ts')))

  expect(RUNTIMES.map(({ id }) => id).toSorted()).toEqual(folders.toSorted())
  expect(folders.length).toBeGreaterThan(5)
})

test('what set-up writes for a runtime calls the hook by the name of its row, or of the one it shares a file with', async () => {
  for (const runtime of await loadRuntimes()) {
    const files = runtime.files.files(desiredRequest())
    const hooks = files.filter(({ part }) => part === 'hooks')
    const shared = runtime.id === 'vscode' ? 'copilot' : runtime.id

    for (const file of hooks) {
      expect(file.format === 'json' ? file.hookName : runtime.id, file.path).toBe(shared)
    }
  }
})

test('a row more is in the matrix, the help, the set-up, the doctor and the hosts of MCP', async () => {
  const ids = EIGHT.map(({ id }) => id)
  const known = await loadRuntimes(EIGHT)
  const help = ['setup', 'doctor', 'hook'].map((name) =>
    createProgram(ids)
      .commands.find((command) => command.name() === name)
      ?.helpInformation(),
  )
  const place = {
    environment: surroundings('/nowhere'),
    socket: undefined,
    launch: { node: '/n', script: '/s' },
    directory: '/nowhere',
    systemDir: '/etc',
  }
  const hosts = mcpHosts({ EMACS_SESSION: 's-1' }, EIGHT)

  expect(await capabilityTable(EIGHT)).toContain(
    '\n| Emacs | no | prompt | `emacs-loop` | no | no | hooks | run, 31.1 |',
  )
  expect(help).toEqual([0, 1, 2].map(() => expect.stringContaining('emacs')))
  expect(setupsNamed(known.map(setupOf), ['emacs'])).toMatchObject([{ id: 'emacs', title: 'Emacs' }])
  expect(findTargets(['emacs'], known, place)).toMatchObject([{ runtime: { id: 'emacs' } }])
  expect(new Identities(hosts).of({ clientName: 'Emacs-MCP 2', meta: {}, as: undefined })).toMatchObject({
    runtime: 'emacs',
    tool: 'emacs',
    sessionId: 's-1',
  })
})

test('a payload of a row more is told by its mark, its variable or its hint, and read in its names', () => {
  const facts = { runtimes: EIGHT, hint: undefined, env: {} }
  const payload = { hook_event_name: 'turn-ended-hook', session_id: 's-1' }

  expect(findOrigin({ ...payload, emacs_version: 31 }, { ...facts, hint: RUNTIMES[0] })?.id).toBe('emacs')
  expect(findOrigin(payload, { ...facts, env: { EMACS_SESSION: 's-1' } })?.id).toBe('emacs')
  expect(findOrigin(payload, { ...facts, hint: emacs })?.id).toBe('emacs')
  expect(readEvent(payload, emacs, emacs.eventNames)?.name).toBe('turn-end')
})

test('no two runtimes mean different things by one name of an event', () => {
  const meanings = new Map<string, Set<string>>()
  for (const [name, event] of EIGHT.flatMap(({ eventNames }) => Object.entries(eventNames))) {
    meanings.set(name, (meanings.get(name) ?? new Set()).add(event))
  }

  expect([...meanings].filter(([, events]) => events.size > 1)).toEqual([])
})

test('a hook loads no set-up and no doctor (P-06)', () => {
  const bundles = ['cli/fast/hook-fast.cjs', 'runtimes/git/short-way.cjs']

  for (const bundle of bundles) {
    const code = readFileSync(join(ROOT, 'dist', bundle), 'utf8')
    expect(code, bundle).toContain('"claude-code"')
    for (const word of ['mcpServers', 'disable-all-hooks', 'jsonc']) expect(code, bundle).not.toContain(word)
  }
})
