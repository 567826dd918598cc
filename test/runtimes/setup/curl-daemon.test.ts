/**
 * The lines of hooks against the daemon itself.
 */
import { describe, expect, test } from 'vitest'
import { ROUTES } from '../../../src/protocol/routes/routes.ts'
import { curlLine, type SocketCall } from '../../../src/runtimes/setup/files/curl-line.ts'
import { startTestDaemon, type TestDaemon } from '../../support/daemon.ts'
import { request } from '../../support/http.ts'
import { hasProgram, isSo } from '../../support/needs.ts'
import { createClinic, findingOf } from '../doctor/clinic.ts'
import { runLine, SILENCE } from './run-line.ts'

const isServed = Object.values<{ readonly path: string }>(ROUTES).some(({ path }) =>
  path.startsWith('/v1/hooks/'),
)

function callTo({ socket }: TestDaemon): SocketCall {
  return { curl: '/usr/bin/curl', socket, keyHeader: undefined }
}

describe.runIf(hasProgram('curl') && isSo(isServed, 'they need a daemon that answers hooks'))(
  'a hook by curl',
  () => {
    test('registers a session that the daemon does not know, and is silent where there is nothing to say (OP-03)', async () => {
      await using daemon = await startTestDaemon()
      const payload = JSON.stringify({
        session_id: 's-1',
        hook_event_name: 'PostToolUse',
        cwd: daemon.dir.path,
      })

      const ended = await runLine(curlLine(callTo(daemon), 'claude-code'), { payload })
      const { body } = await request(daemon.socket, `/v1/handles/${daemon.principal}/roster`)

      expect(ended).toEqual(SILENCE)
      expect(body.sessions).toMatchObject([{ session_id: 's-1' }])
    })

    test.each(['{}', '[]', 'no JSON', '{"hook_event_name":"Stop"}'])(
      'says nothing of %s, whatever the daemon says',
      async (payload) => {
        await using daemon = await startTestDaemon()

        expect(await runLine(curlLine(callTo(daemon), 'codex'), { payload })).toEqual(SILENCE)
      },
    )

    test('says nothing where the daemon asks for a key that it does not show (OP-04)', async () => {
      await using daemon = await startTestDaemon({ config: { auth: 'session' } })
      const payload = JSON.stringify({ session_id: 's-1', hook_event_name: 'PostToolUse', cwd: '/' })

      const ended = await runLine(curlLine(callTo(daemon), 'claude-code'), { payload })

      expect(ended).toEqual(SILENCE)
    })

    test('is tried by the doctor, who says how long it took (OP-12)', async () => {
      await using daemon = await startTestDaemon()
      await using clinic = await createClinic({
        programs: { cursor: '3.1.15' },
        env: { AGENTD_SOCKET: daemon.socket },
      })
      const launch = { ...clinic.launch, call: callTo(daemon) }
      await clinic.home.moved(launch).install(['cursor'])

      const findings = await clinic.examine(['cursor'], { launch })

      expect(findingOf(findings, 'hooks-answer')).toMatchObject({ area: 'cursor', state: 'ok' })
    })
  },
)
