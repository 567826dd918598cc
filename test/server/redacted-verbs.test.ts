/** Who composes a diagnosis for somebody keeps its secrets back, says which, and does otherwise when told to (AC-186). */
import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { connect } from '../../src/client/connect.ts'
import { agentd } from '../cli/support.ts'
import { connectHost } from '../mcp/support/connection.ts'
import { request } from '../support/http.ts'
import { SharedDaemon } from './shared-daemon.ts'

const shared = new SharedDaemon()
const TOKEN = `ghp_${'a1B2'.repeat(9)}`
const SYMPTOM = `push with ${TOKEN} fails; DB_PASSWORD=hunter2 too`
const CLEAN = 'push with [redacted] fails; DB_PASSWORD=******* too'
const MESSAGE =
  'Blacked out in the symptom: a GitHub token, the value of DB_PASSWORD; "redact": false (--no-redact) sends it as it is.'
const REDACTED = [{ code: 'redacted', field: 'payload.symptom', message: MESSAGE }]
const LINE = `warning: ${MESSAGE}\n`

function diagnosis(symptom = SYMPTOM) {
  return { symptom, severity: 'blocked', diagnostic_id: randomUUID() }
}

/** What became of it. */
async function newest(): Promise<string> {
  return (await shared.get('/v1/frames?limit=1')).text
}

test.each([
  ['agent_diagnose', { symptom: SYMPTOM, severity: 'info' }],
  ['agent_send', { kind: 'peer_diagnostic_request', payload: diagnosis() }],
])('%s blacks out what is secret in a symptom, and tells what (AC-186)', async (verb, body) => {
  const reply = await shared.post(`/v1/verbs/${verb}`, body)

  expect(reply.body).toMatchObject({ frame: { payload: { symptom: CLEAN } }, warnings: REDACTED })
  expect(await newest()).toContain(CLEAN)
  expect(reply.text).not.toContain(TOKEN)
})

test('agent_diagnose_respond does so in a finding and a remediation (AC-186)', async () => {
  const { body } = await shared.post('/v1/verbs/agent_diagnose_respond', {
    diagnostic_id: randomUUID(),
    finding: `${TOKEN} has expired`,
    remediation: 'set npm_token=a1b2c3d4e5f6 anew',
  })

  expect(body.frame.payload).toMatchObject({
    finding: '[redacted] has expired',
    remediation: 'set npm_token=[redacted] anew',
  })
  expect(body.warnings.map(({ field }: { field: string }) => field)).toEqual([
    'payload.finding',
    'payload.remediation',
  ])
})

test('redact: false sends it as it is, and nothing is said of what has no secret (AC-186)', async () => {
  const asked = { symptom: SYMPTOM, severity: 'info' }

  const whole = await shared.post('/v1/verbs/agent_diagnose', { ...asked, redact: false })
  const clean = await shared.post('/v1/verbs/agent_diagnose', { ...asked, symptom: 'npm test hangs' })

  expect(whole.body.frame.payload.symptom).toBe(SYMPTOM)
  expect([whole.body, clean.body].filter((body) => 'warnings' in body)).toEqual([])
})

test('what is no diagnosis, and a frame that comes whole, is nobody’s to change', async () => {
  const told = await shared.post('/v1/verbs/agent_advise', { text: SYMPTOM })

  expect(told.body.frame.payload.advisory_text).toBe(SYMPTOM)
  const { frame_id, ...frame } = told.body.frame
  const payload = { ...diagnosis() }
  const whole = { ...frame, frame_id: randomUUID(), kind: 'peer_diagnostic_request', payload }
  expect((await shared.post('/v1/frames', whole)).status).toBe(200)
  expect(frame_id).not.toBe(whole.frame_id)
  expect(await newest()).toContain(SYMPTOM)
})

test('a form is answered with a sentence that says it, which is what the short way prints (OP-14)', async () => {
  const { text } = await request(shared.socket, '/v1/verbs/agent_send', {
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/plain' },
    body: new URLSearchParams({
      kind: 'peer_diagnostic_request',
      payload: JSON.stringify(diagnosis()),
    }).toString(),
  })

  expect(text).toMatch(/^sent peer_diagnostic_request/)
  expect(text.split('\n').slice(1).join('\n')).toBe(LINE)
})

test('agentd send says it, and --no-redact sends it as it is (AC-186)', async () => {
  const words = ['send', '--kind', 'peer_diagnostic_request', JSON.stringify(diagnosis())]

  const plain = await agentd(shared.daemon.env, words)
  const sent = await newest()
  const whole = await agentd(shared.daemon.env, [...words, '--no-redact'])

  expect(plain).toMatchObject({ code: 0, stderr: '' })
  expect(plain.stdout.endsWith(LINE)).toBe(true)
  expect(sent).toContain(CLEAN)
  expect(whole).toMatchObject({ code: 0, stderr: '' })
  expect(whole.stdout).not.toContain('Blacked out')
  expect(await newest()).toContain(TOKEN)
})

test('the library does it for what it composes, and not for what it is given whole (AC-186)', async () => {
  await using client = await connect({ socket: shared.socket })
  const payload = { ...diagnosis(), severity: 'blocked' as const }

  const sent = await client.send({ kind: 'peer_diagnostic_request', payload })
  const stored = await newest()
  const whole = await client.send({ kind: 'peer_diagnostic_request', payload, redact: false })

  expect(sent.warnings).toEqual(REDACTED)
  expect(stored).toContain(CLEAN)
  expect(whole.warnings).toEqual([])
  expect(await newest()).toContain(TOKEN)
})

test('agentd_send does it, and extra.redact false does not (AC-186)', async () => {
  await using host = connectHost(shared.socket)
  await host.open()
  const about = { as: 'diagnoser', kind: 'diagnose', text: SYMPTOM }

  const sent = await host.call('agentd_send', { ...about, extra: { severity: 'info' } })
  const stored = await newest()
  const whole = await host.call('agentd_send', { ...about, extra: { severity: 'info', redact: false } })

  expect(sent.facts['warnings']).toEqual(REDACTED)
  expect(stored).toContain(CLEAN)
  expect(whole.facts).not.toHaveProperty('warnings')
  expect(await newest()).toContain(TOKEN)
})
