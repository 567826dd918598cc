import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { configKeys } from '../../../src/host/config/config-keys.ts'
import { createProgram } from '../../../src/cli/program.ts'
import { TOPICS } from '../../../src/cli/help/topics.ts'
import { RUNTIMES } from '../../../src/runtimes/catalogue.ts'
import { hasProgram } from '../../support/needs.ts'
import { markedTable } from '../../support/pages.ts'
import { createTempDir, type TempDir } from '../../support/temp-dir.ts'
import { SHELLS, offered, writeScripts, type Shell } from './shells.ts'

let dir: TempDir

beforeAll(async () => {
  dir = await createTempDir()
  await writeScripts(dir)
})

afterAll(() => dir[Symbol.asyncDispose]())

/** Nobody's daemon runs here. */
const complete = (shell: Shell, ...words: readonly string[]): readonly string[] =>
  offered(
    shell,
    dir.file(shell),
    { HOME: dir.path, AGENTD_SOCKET: dir.file('agentd.sock') },
    words,
  ).toSorted()

const SYNTAX: Readonly<Record<Shell, readonly string[]>> = {
  bash: ['--norc', '-n'],
  zsh: ['-f', '-n'],
  fish: ['--no-config', '--no-execute'],
}

const INSTALLED = SHELLS.filter((shell) => shell === 'bash' || hasProgram(shell))

describe.each(INSTALLED)('%s', (shell) => {
  test('reads its script without complaint', () => {
    const { status, stderr } = spawnSync(shell, [...SYNTAX[shell], dir.file(shell)], { encoding: 'utf8' })

    expect(stderr).toBe('')
    expect(status).toBe(0)
  })

  test('completes commands, subcommands, options and their values', () => {
    const program = createProgram([])
    const commands = program
      .createHelp()
      .visibleCommands(program)
      .map((command) => command.name())
    expect(commands.length).toBeGreaterThan(15)

    expect(complete(shell, '')).toEqual(expect.arrayContaining(commands))
    expect(complete(shell, '')).not.toContain('complete')
    expect(complete(shell, 'ro')).toEqual(['roster'])
    expect(complete(shell, 'service', 'un')).toEqual(['uninstall'])
    expect(complete(shell, 'completion', '')).toEqual(['bash', 'fish', 'zsh'])
    expect(complete(shell, 'tail', '--re')).toEqual(['--replay'])
    expect(complete(shell, 'send', '--kind', 'agent_l')).toEqual([
      'agent_lease_extend',
      'agent_lock_release',
      'agent_lock_request',
    ])
    expect(complete(shell, 'broadcast', 'text', '--class', '')).toEqual([
      'merged',
      'other',
      'released',
      'stale',
    ])
    expect(complete(shell, 'envelope', 'send', '--rep')).toEqual(['--reply-to'])
    expect(complete(shell, 'envelope', 'check', '--level', 'mve-')).toEqual(['mve-5', 'mve-required'])
    expect(complete(shell, 'link', 'hub', 'inv')).toEqual(['invite'])
  })

  test('completes runtimes, one after another, topics, and commands behind help', () => {
    const runtimes = RUNTIMES.map(({ id }) => id)

    expect(complete(shell, 'setup', '')).toEqual(runtimes.toSorted())
    expect(complete(shell, 'doctor', 'codex', 'cl')).toEqual(['claude-code'])
    expect(complete(shell, 'help', 'sc')).toEqual(['scopes'])
    expect(complete(shell, 'help', '')).toEqual(
      expect.arrayContaining([...TOPICS.map(({ name }) => name), 'topics', 'send']),
    )
  })

  test('takes no value for an option, nor an option for a value, whether that has one, may have one or has none', () => {
    // `--wait` has a value for receipts, and none for an inbox.
    expect(complete(shell, 'inbox', '--wait', '--ti')).toEqual(['--timeout'])
    expect(complete(shell, 'receipts', 'id', '--wait', '')).toEqual(['all', 'seen'])
    expect(complete(shell, 'receipts', 'id', '--wait', 'seen', '--ti')).toEqual(['--timeout'])
    expect(complete(shell, 'setup', '--plugin', '--und')).toEqual(['--undo'])
    expect(complete(shell, 'setup', '--plugin', 'folder', '--und')).toEqual(['--undo'])
    expect(complete(shell, '--socket', '/s', 'ro')).toEqual(['roster'])
    expect(complete(shell, '--json', 'service', 'un')).toEqual(['uninstall'])
    expect(complete(shell, 'advise', 'tail', '--fil')).toEqual(['--file-ref'])
    expect(complete(shell, 'advise', '--branch', 'tail', '--br')).toEqual(['--branch'])
    expect(complete(shell, 'tail', '--no-c')).toEqual(['--no-color'])
  })

  test('offers nothing of its own where anything may stand, and nothing where nothing may', () => {
    expect(complete(shell, 'advise', '')).toEqual([])
    expect(complete(shell, 'completion', 'bash', '')).toEqual([])
    expect(complete(shell, 'nonsense', 'ro')).toEqual([])
  })

  test('is silent where no daemon runs, and starts none', () => {
    expect(complete(shell, 'advise', 'text', '--to', '')).toEqual([])
    expect(complete(shell, 'unlock', '')).toEqual([])
    for (const left of ['agentd.sock', '.local/state/agentd', '.agentd'])
      expect(existsSync(dir.file(left)), left).toBe(false)
  })
})

test.each(['bash', 'zsh'] as const)('%s completes the value behind an equals sign', (shell) => {
  if (!INSTALLED.includes(shell)) return

  expect(complete(shell, 'send', '--kind=agent_ha')).toEqual(['agent_handover'])
  expect(complete(shell, 'receipts', 'id', '--wait=', '')).toEqual([])
})

test('every option of every command stands in every script', () => {
  const scripts = SHELLS.map((shell) => readFileSync(dir.file(shell), 'utf8'))
  for (const command of createProgram([]).commands) {
    for (const { long } of command.options) {
      for (const script of scripts) expect(script).toContain(long?.slice(2))
    }
  }
})

test('the keys of the configuration that are completed are those of its table', () => {
  const rows = [...markedTable('config').matchAll(/^\| `([^`]+)` \|/gm)].map(([, key]) => key)

  expect(configKeys()).toEqual(rows)
})
