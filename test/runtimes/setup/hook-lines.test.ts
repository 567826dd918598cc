/**
 * The lines that set-up writes, run as the runtimes run them: by a shell, with the payload on standard input.
 */
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import { curlLine, curlWaitLine } from '../../../src/runtimes/setup/files/curl-line.ts'
import { findHookRole, hookLine, type Launch } from '../../../src/runtimes/setup/files/launch.ts'
import type { DesiredFile } from '../../../src/runtimes/setup/target.ts'
import { createTempDir, type TempDir } from '../../support/temp-dir.ts'
import { desiredRequest } from './desired-files.ts'
import { SETUPS } from './home.ts'
import { PAYLOAD, runLine, SHELLS, SILENCE } from './run-line.ts'

const VARIABLES = { session: 'SESSION', attended: 'ATTENDED' }

/** What stands in for agentd: says how it was started, and ends as a wake does. */
const STAND_IN = `
let length = 0
process.stdin.on('data', (chunk) => { length += chunk.length }).on('end', () => {
  process.stdout.write(JSON.stringify([process.argv.slice(2), length, process.ppid]))
  process.stderr.write('wake')
  process.exitCode = 2
})
`

/** Every runtime that runs a line, and its lines: one for each hook of its files. */
function linesOf(launch: Launch): readonly (readonly [id: string, lines: readonly string[]])[] {
  return SETUPS.filter(({ isLocal }) => isLocal !== true)
    .map(({ id, files }) => [id, files(desiredRequest(launch)).flatMap(linesIn)] as const)
    .filter(([, lines]) => lines.length > 0)
}

function linesIn(file: DesiredFile): readonly string[] {
  if (file.format !== 'json') return []
  return file.entries.flatMap((entry) => {
    if (entry.kind !== 'hook') return []
    // A program with arguments is run by no shell, and its runtime complains when it is gone.
    expect(entry.handler).not.toHaveProperty('args')
    return [String(entry.handler['command'] ?? entry.handler['bash'])]
  })
}

/** A package with a stand-in in it, in a folder whose name a shell would take apart. */
async function createPackage(): Promise<{ readonly dir: TempDir; readonly launch: Launch }> {
  const dir = await createTempDir()
  const script = dir.file("it's $HOME & more", 'bin', 'agentd.cjs')
  mkdirSync(dirname(script), { recursive: true })
  writeFileSync(script, STAND_IN)
  return { dir, launch: { node: process.execPath, script } }
}

describe('a hook line of a package that was removed', () => {
  test.each(linesOf({ node: process.execPath, script: '/nowhere/bin/agentd.cjs' }))(
    '%s: takes the payload, prints nothing, and ends with 0',
    async (_, lines) => {
      const outcomes = await Promise.all([...new Set(lines)].map((line) => runLine(line)))

      expect(outcomes.length).toBeGreaterThan(0)
      for (const outcome of outcomes) expect(outcome).toEqual(SILENCE)
    },
  )

  test.each(SHELLS)('%s: with Node gone, or not to be run, it is the same', async (shell) => {
    const { dir, launch } = await createPackage()
    await using _ = dir
    writeFileSync(dir.file('node'), '')
    chmodSync(dir.file('node'), 0o644)

    for (const node of ['/nowhere/node', dir.file('node')]) {
      const line = hookLine({ ...launch, node }, 'claude-code', 'wait')
      expect(await runLine(line, { shell })).toEqual(SILENCE)
    }
  })

  test('the command itself, with what was built for it gone, is as silent', async () => {
    await using dir = await createTempDir()
    const script = dir.file('bin', 'agentd.cjs')
    mkdirSync(dir.file('bin'))
    writeFileSync(script, readFileSync(new URL('../../../bin/agentd.cjs', import.meta.url)))

    expect(await runLine(hookLine({ node: process.execPath, script }, 'codex'))).toMatchObject({
      status: 0,
      stdout: '',
      stderr: '',
    })
  })

  test('the plugin of OpenCode says nothing either, with whatever system it meets', async () => {
    const { dir, launch } = await createPackage()
    await using _ = dir
    const setup = SETUPS.find(({ id }) => id === 'opencode')
    const [, plugin] = setup?.files({ ...desiredRequest(launch), plugin: true }) ?? []
    if (plugin?.format !== 'whole') throw new Error('there is no plugin')
    // As Node answers when no descriptor is left: a child without streams.
    const text = plugin.text.replace(/^import .*child_process'$/m, 'const spawn = () => ({ kill() {} })')
    writeFileSync(dir.file('agentd.mjs'), text)
    const { Agentd } = await import(pathToFileURL(dir.file('agentd.mjs')).href)
    const hooks = await Agentd({ client: {}, directory: '/work' })
    const output = { output: 'done' }

    await hooks['tool.execute.after']({ tool: 'read', sessionID: 's1', callID: 'c1', args: {} }, output)

    expect(text).not.toBe(plugin.text)
    expect(output.output).toBe('done')
  })
})

describe('a hook line of a package that is there', () => {
  test.each(SHELLS)(
    '%s: it is agentd alone: its input, its words, its exit code, no shell around it',
    async (shell) => {
      const { dir, launch } = await createPackage()
      await using _ = dir

      const waits = await runLine(hookLine(launch, 'claude-code', 'wait'), { shell })
      rmSync(launch.script)
      const gone = await runLine(hookLine(launch, 'claude-code', 'wait'), { shell })

      const told = [['hook', 'claude-code', '--wait'], PAYLOAD.length, process.pid]
      expect(waits).toEqual({ status: 2, stdout: JSON.stringify(told), stderr: 'wake', fault: undefined })
      expect(gone).toEqual(SILENCE)
    },
  )

  test.each([
    [{ command: curlLine({ curl: '/c', socket: '/s', keyHeader: undefined }, 'codex') }, 'hook'],
    [{ bash: curlLine({ curl: "/it's $c", socket: '/a b', keyHeader: '/k' }, 'codex') }, 'hook'],
    [{ command: curlWaitLine({ curl: '/c', socket: '/s', keyHeader: '/k' }, 'codex', VARIABLES) }, 'wait'],
    [{ command: curlLine({ curl: '/c', socket: '/s', keyHeader: undefined }, 'gemini') }, undefined],
    [{ command: `${curlLine({ curl: '/c', socket: '/s', keyHeader: undefined }, 'codex')}; ls` }, undefined],
    [{ command: '/n', args: ['/p/bin/agentd.cjs', 'hook', 'codex'] }, 'hook'],
    [{ command: '/n', args: ['/p/bin/agentd.cjs', 'hook', 'codex', '--wait'] }, 'wait'],
    [{ command: "/n '/p q/bin/agentd.cjs' hook codex" }, 'hook'],
    [{ bash: '/n /p/bin/agentd.cjs hook codex' }, 'hook'],
    [{ command: hookLine({ node: '/n', script: '/p/bin/agentd.cjs' }, 'codex') }, 'hook'],
    [{ command: hookLine({ node: '/n', script: "/it's/bin/agentd.cjs" }, 'codex', 'wait') }, 'wait'],
    [{ command: '/n /p/bin/agentd.cjs hook gemini' }, undefined],
    [{ command: '/n /p/bin/agentd.cjs hook codex; rm -rf /' }, undefined],
    [{ command: '/n /p/bin/agentd.cjs hook codex', args: ['other'] }, undefined],
  ])('%j is known for what it is: %s (OP-12)', (handler, role) => {
    expect(findHookRole(handler, 'codex')).toBe(role)
  })
})
