/**
 * What a program leaves behind, and how it finds a daemon (HD-04, LB-02).
 */
import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { connect } from '../../src/client/connect.ts'
import { startTestDaemon } from '../support/daemon.ts'
import { kill } from '../support/mortal-session.ts'
import { runsOnLinux } from '../support/needs.ts'
import { LIBRARY, startProgram } from '../support/own-program.ts'
import { createTempDir } from '../support/temp-dir.ts'

const COMMAND = fileURLToPath(new URL('../../bin/agentd', import.meta.url))

describe.runIf(runsOnLinux('the processes'))('a program that is killed', () => {
  test('leaves no session behind, unless it asked for one without a process (HD-04)', async () => {
    await using daemon = await startTestDaemon()
    await using client = await connect({ socket: daemon.socket })
    const plain = await startProgram(daemon.socket, { instrument: 'cc', sessionId: 'plain', mailbox: true })
    const kept = await startProgram(daemon.socket, {
      instrument: 'cc',
      sessionId: 'kept',
      mailbox: true,
      pid: null,
    })
    expect((await client.roster()).map(({ sessionId }) => sessionId)).toEqual(['plain', 'kept'])

    await Promise.all([kill(plain), kill(kept)])

    await vi.waitFor(
      async () => expect((await client.roster()).map(({ sessionId }) => sessionId)).toEqual(['kept']),
      { timeout: 15_000, interval: 50 },
    )
  })
})

describe('connecting with start', () => {
  afterEach(() => vi.unstubAllEnvs())

  test('the daemon is started by the command on the path, and is the one that answers (LB-02)', async () => {
    await using dir = await createTempDir()
    mkdirSync(dir.file('bin'))
    symlinkSync(COMMAND, dir.file('bin/agentd'))
    vi.stubEnv('PATH', `${dir.file('bin')}:${process.env['PATH']}`)
    vi.stubEnv('HOME', dir.path)
    vi.stubEnv('XDG_CONFIG_HOME', dir.path)
    vi.stubEnv('XDG_STATE_HOME', dir.path)
    vi.stubEnv('AGENTD_PRINCIPAL', '~alice')
    const socket = dir.file('run/a.sock')

    await using client = await connect({ socket, start: true })

    expect(client.principal).toBe('~alice')
    const { pid } = await client.health()
    expect(await client.stop()).toBe(pid)
    await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'), {
      timeout: 15_000,
      interval: 50,
    })
  })

  test('without a command anywhere it says so, and what it looked through (LB-02)', async () => {
    await using dir = await createTempDir()
    // Away from here, where the package itself would be found.
    cpSync(fileURLToPath(new URL('.', LIBRARY)), dir.file('client'), { recursive: true })
    const program = `
      import { AgentdError, connect } from './client/index.js'
      const failure = await connect({ socket: process.cwd() + '/a.sock', start: true }).catch((error) => error)
      console.log(failure instanceof AgentdError, failure.code, failure.message)`
    writeFileSync(dir.file('program.mjs'), program)

    const said = execFileSync(process.execPath, ['program.mjs'], {
      cwd: dir.path,
      env: { PATH: dir.path, HOME: dir.path },
      encoding: 'utf8',
    })

    expect(said).toMatch(
      /^true unreachable .*there is no command "agentd" on the path, nor in a package agentd-bus/,
    )
  })

  test('a command that fails is quoted, and without start nothing is started (LB-02)', async () => {
    await using dir = await createTempDir()
    writeFileSync(dir.file('agentd'), '#!/bin/sh\necho "the place is taken" >&2\nexit 69\n')
    chmodSync(dir.file('agentd'), 0o755)
    vi.stubEnv('PATH', `${dir.path}:${process.env['PATH']}`)
    const socket = dir.file('a.sock')

    await expect(connect({ socket, start: true })).rejects.toThrow('the place is taken')
    await expect(connect({ socket })).rejects.toThrow('there is no such socket')
  })
})
