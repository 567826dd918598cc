/** Carrying on and taking places, against the real daemon and from processes of their own (HD-01, HD-04). */
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { startTestDaemon } from '../support/daemon.ts'
import { post, request } from '../support/http.ts'
import { SharedDaemon } from './shared-daemon.ts'
import { keepsFrames } from '../support/without-sqlite.ts'

const shared = new SharedDaemon()

const REGISTER = `
  const { request } = require('node:http')
  const [socketPath, path, headers, ...bodies] = process.argv.slice(1)
  const ask = (body) => new Promise((resolve) => {
    const sent = request({ socketPath, path, method: 'POST', headers: { host: 'x', 'content-type': 'application/json', ...JSON.parse(headers) } }, async (answer) => {
      let text = ''
      for await (const chunk of answer) text += chunk
      resolve({ status: answer.statusCode, body: JSON.parse(text) })
    })
    sent.end(body)
  })
  ;(async () => {
    const answers = []
    for (const body of bodies) answers.push(await ask(body))
    console.log(JSON.stringify(answers))
  })()
`

interface Answer {
  readonly status: number
  readonly body: Readonly<Record<string, string>>
}

/** Registers from a process of its own. */
async function registerElsewhere(
  socket: string,
  bodies: readonly object[],
  headers: Readonly<Record<string, string>> = {},
): Promise<readonly Answer[]> {
  const args = ['-e', REGISTER, '--', socket, '/v1/sessions', JSON.stringify(headers)]
  const { stdout } = await promisify(execFile)(process.execPath, [
    ...args,
    ...bodies.map((body) => JSON.stringify(body)),
  ])
  return JSON.parse(stdout)
}

function heirOf(victim: { readonly session_id: string }): object {
  return {
    instrument: 'cc',
    session_id: randomUUID(),
    mailbox: true,
    successor_of: `cc-opus-4-6@${victim.session_id}`,
  }
}

test("another process takes a living session's mail only with its token (HD-01)", async () => {
  const victim = await shared.register({ mailbox: true })
  const scope = victim.address
  await shared.post('/v1/verbs/agent_advise', { text: 'for the victim', recipient_scope: scope })

  const [refused] = await registerElsewhere(shared.socket, [heirOf(victim)])
  const [guessed] = await registerElsewhere(shared.socket, [heirOf(victim)], {
    'agentd-predecessor': 'x'.repeat(43),
  })
  const self = await shared.get('/v1/sessions/self', victim.token)
  const [granted] = await registerElsewhere(shared.socket, [heirOf(victim)], {
    'agentd-predecessor': victim.token,
  })

  for (const answer of [refused, guessed])
    expect(answer).toMatchObject({ status: 409, body: { code: 'session-exists', field: 'successor_of' } })
  expect(self.body).toMatchObject({ mailbox: { unread: 1 } })
  expect(granted).toMatchObject({ status: 201 })
  const heir = await shared.get('/v1/sessions/self', granted?.body['token'])
  expect(heir.body).toMatchObject({ mailbox: { unread: 1 } })
})

test('a process carries its own session on without a token, where the kernel names it (HD-01)', async () => {
  const { body: health } = await shared.get('/v1/health')
  const victim = await shared.register({ mailbox: true })

  const { status } = await shared.post('/v1/sessions', heirOf(victim))

  expect([health.peer_processes, status]).toEqual(
    health.peer_processes === 'checked' ? ['checked', 201] : ['unavailable', 409],
  )
})

test.runIf(keepsFrames())(
  'places taken in the name of the first process are given to others, before and after a restart (HD-04)',
  async () => {
    const places = 64
    const first = await startTestDaemon({ config: { limits: { sessions: places } } })
    const squatters = Array.from({ length: places }, (_, i) => ({
      instrument: 'sq',
      session_id: `s${i}`,
      pid: 1,
    }))
    const taken = await registerElsewhere(first.socket, squatters)
    const before = await post(first.socket, '/v1/sessions', { instrument: 'cc', session_id: 'before' })
    await first.stop('SIGKILL')
    await using second = await startTestDaemon({ dir: first.dir, config: { limits: { sessions: places } } })

    const after = await post(second.socket, '/v1/sessions', { instrument: 'cc', session_id: 'after' })

    const { body: health } = await request(second.socket, '/v1/health')
    expect(taken.map(({ status }) => status)).toEqual(Array(places).fill(201))
    if (health.peer_processes === 'checked') expect([before.status, after.status]).toEqual([201, 201])
    else expect([before.body.code, after.body.code]).toEqual(['busy', 'busy'])
    await first.dir[Symbol.asyncDispose]()
  },
)
