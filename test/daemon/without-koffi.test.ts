/** A daemon that cannot ask the kernel who connects, since an optional package is not there (HD-04, OP-27). */
import { cpSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { connect } from '../../src/client/connect.ts'
import { startTestDaemon } from '../support/daemon.ts'
import { post } from '../support/http.ts'
import { kill, namesProcesses, startParty } from '../support/mortal-session.ts'
import { runsOnLinux } from '../support/needs.ts'
import { startProgram } from '../support/own-program.ts'
import { DIST } from '../support/start-graph.ts'
import { createTempDir, type TempDir } from '../support/temp-dir.ts'

/** A copy of what is installed, with the store and without what asks the kernel. @returns what the daemon starts from */
function installWithoutKoffi(dir: TempDir): string {
  cpSync(DIST, dir.file('dist'), { recursive: true })
  cpSync(join(DIST, '..', 'package.json'), dir.file('package.json'))
  mkdirSync(dir.file('node_modules'))
  symlinkSync(join(DIST, '..', 'node_modules', 'better-sqlite3'), dir.file('node_modules', 'better-sqlite3'))
  return dir.file('dist', 'daemon', 'main.js')
}

describe.runIf(runsOnLinux('the processes'))('a daemon without koffi', () => {
  test('is rid of a killed program at once, and keeps what waited for it (HD-04)', async () => {
    await using dir = await createTempDir()
    await using daemon = await startTestDaemon({ entry: installWithoutKoffi(dir) })
    expect(await namesProcesses(daemon)).toBe(false)
    await using client = await connect({ socket: daemon.socket })
    const options = { instrument: 'cc', mailbox: true }
    const plain = await startProgram(daemon.socket, { ...options, sessionId: 'plain' })
    const kept = await startProgram(daemon.socket, { ...options, sessionId: 'kept', pid: null })
    const unsaid = await startParty(daemon.socket, 'unsaid')
    await client.advise('before', { scope: '~alice/cc@plain' })

    await Promise.all([plain, kept, unsaid].map((program) => kill(program)))

    // Asked once: who asks for the roster is told of no dead one.
    expect((await client.roster()).map(({ sessionId }) => sessionId)).toEqual(['kept', 'unsaid'])
    const heir = await client.session({ ...options, sessionId: 'heir', successorOf: 'cc@plain' })
    expect((await heir.inbox.drain()).items).toMatchObject([
      { frame: { payload: { advisory_text: 'before' } } },
    ])
  })

  test('knows after a restart which process ended meanwhile, and lets nobody else carry on one that lives (HD-01, HD-04)', async () => {
    await using dir = await createTempDir()
    await using state = await createTempDir()
    const entry = installWithoutKoffi(dir)
    const first = await startTestDaemon({ entry, dir: state })
    const options = { instrument: 'cc', mailbox: true }
    const mortal = await startProgram(first.socket, { ...options, sessionId: 'mortal' })
    const living = await startProgram(first.socket, { ...options, sessionId: 'living' })
    await first.stop('SIGKILL')
    await kill(mortal)

    await using second = await startTestDaemon({ entry, dir: state })
    await using client = await connect({ socket: second.socket })
    const present = (await client.roster()).map(({ sessionId }) => sessionId)
    const wish = { instrument: 'cc', session_id: 'heir', successor_of: 'cc@living', pid: living.pid }
    const refused = await post(second.socket, '/v1/sessions', wish)
    await kill(living)

    expect(present).toEqual(['living'])
    expect([refused.status, refused.body.code]).toEqual([409, 'session-exists'])
  })
})
