import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { beforeAll, afterAll, expect, test } from 'vitest'
import { createProgram } from '../../../src/cli/program.ts'
import { createTempDir, type TempDir } from '../../support/temp-dir.ts'
import { agentd } from '../support.ts'

let dir: TempDir

beforeAll(async () => {
  dir = await createTempDir()
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { stdout } = await agentd({ PATH: process.env['PATH'] ?? '', HOME: dir.path }, [
      'completion',
      shell,
    ])
    writeFileSync(dir.file(shell), stdout)
  }
})

afterAll(() => dir[Symbol.asyncDispose]())

/** What bash would offer after these words, the last of which is being typed. */
function complete(...words: readonly string[]): readonly string[] {
  const line = ['agentd', ...words]
  const program = `source ${dir.file('bash')}; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _agentd; printf '%s\\n' "\${COMPREPLY[@]}"`
  const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', program, 'bash', ...line], {
    encoding: 'utf8',
  })
  expect(stderr).toBe('')
  return stdout.split('\n').filter((word) => word !== '')
}

test('bash completes commands, subcommands, options and their values', () => {
  const commands = createProgram([]).commands.map((command) => command.name())
  expect(commands.length).toBeGreaterThan(15)

  expect(complete('')).toEqual(expect.arrayContaining(commands))
  expect(complete('ro')).toEqual(['roster'])
  expect(complete('service', '')).toEqual(['install', 'uninstall'])
  expect(complete('completion', '')).toEqual(['bash', 'zsh', 'fish'])
  expect(complete('tail', '--re')).toEqual(['--replay'])
  expect(complete('send', '--kind', 'agent_l')).toEqual([
    'agent_lock_request',
    'agent_lock_release',
    'agent_lease_extend',
  ])
  expect(complete('broadcast', 'text', '--class', '')).toEqual(['merged', 'stale', 'released', 'other'])
  expect(complete('receipts', 'id', '--wait', '')).toEqual(['seen', 'all'])
  expect(complete('envelope', '')).toEqual(['send', 'get', 'thread', 'threads', 'check', 'export'])
  expect(complete('envelope', 'send', '--rep')).toEqual(['--reply-to'])
  expect(complete('envelope', 'send', '--priority', '')).toEqual(['low', 'normal', 'high', 'urgent'])
  expect(complete('envelope', 'check', '--level', 'mve-')).toEqual(['mve-required', 'mve-5'])
})

test('bash is not misled by options before the command, nor by values that look like commands', () => {
  expect(complete('--socket', '/s', 'ro')).toEqual(['roster'])
  expect(complete('--json', 'service', 'un')).toEqual(['uninstall'])
  expect(complete('advise', 'tail', '--fil')).toEqual(['--file-ref'])
  expect(complete('advise', '--branch', 'tail', '--br')).toEqual(['--branch'])
  expect(complete('handover', '--file', '')).toEqual([])
  expect(complete('advise', '')).toEqual([])
})

test.each([
  ['bash', ['--norc', '-n']],
  ['zsh', ['-f', '-n']],
  ['fish', ['--no-config', '--no-execute']],
])('%s reads its script without complaint', (shell, args) => {
  const { status, stderr, error } = spawnSync(shell, [...args, dir.file(shell)], { encoding: 'utf8' })
  // A shell that is not installed cannot say anything about its script.
  if (error !== undefined) return

  expect(stderr).toBe('')
  expect(status).toBe(0)
})

test('every option of every command stands in every script', () => {
  const scripts = ['bash', 'zsh', 'fish'].map(
    (shell) => spawnSync('cat', [dir.file(shell)], { encoding: 'utf8' }).stdout,
  )
  for (const command of createProgram([]).commands) {
    for (const { long } of command.options) {
      for (const script of scripts) expect(script).toContain(long?.slice(2))
    }
  }
})
