/** Verbs for who can neither write JSON nor read it: a form goes in, a sentence comes out (docs/http.md §8, OP-14). */
import { expect, test } from 'vitest'
import { MAX_BODY_OCTETS } from '../../src/core/limits.ts'
import { formatSentFrame } from '../../src/protocol/verb/sent-line.ts'
import { request, type Reply } from '../support/http.ts'
import { SharedDaemon } from './shared-daemon.ts'

const shared = new SharedDaemon()

const FORM = 'application/x-www-form-urlencoded'

function sendForm(verb: string, fields: Readonly<Record<string, string>>, headers = {}): Promise<Reply> {
  return request(shared.socket, `/v1/verbs/${verb}`, {
    method: 'POST',
    headers: { 'content-type': FORM, ...headers },
    body: new URLSearchParams(fields).toString(),
  })
}

const sentence = { accept: 'text/plain' }

test('a form makes the frame that the same arguments make as JSON (OP-14)', async () => {
  const args = { text: 'editing "a" & b=c+d', file_refs: 'src/a b.ts', recipient_scope: '~alice/cc-*' }

  const form = await sendForm('agent_advise', args)
  const json = await shared.post('/v1/verbs/agent_advise', { ...args, file_refs: [args.file_refs] })

  expect(form.status).toBe(200)
  expect(form.body.frame.payload).toEqual(json.body.frame.payload)
  expect(form.body.frame.payload).toEqual({ advisory_text: args.text, file_refs: ['src/a b.ts'] })
})

test('a sentence is what the command line prints of the same answer (OP-14)', async () => {
  const listener = await shared.register()
  await shared.register({ mailbox: true })
  using stream = await shared.listen(listener)

  const { status, headers, text } = await sendForm('agent_advise', { text: 'hello' }, sentence)

  await stream.frames(1)
  expect({ status, type: headers['content-type'] }).toEqual({
    status: 200,
    type: 'text/plain; charset=utf-8',
  })
  expect(text).toBe('sent agent_advisory to 2 sessions (1 waiting in a mailbox)\n')
})

test('a sentence names a new lease, and who is near where nobody is meant (docs/http.md §5)', async () => {
  const { name } = await shared.register({ instrument: 'reviewer' })

  const lease = await sendForm('agent_lock_acquire', { resource: 'src/a.ts', ttl_ms: '60000' }, sentence)
  const near = await sendForm('agent_advise', { text: 'a', recipient_scope: '~alice/reviewe@s1' }, sentence)

  expect(lease.text).toMatch(/^sent agent_lock_request.*\nlease [0-9a-f-]{36}\n$/)
  expect(near.text).toBe(`sent agent_advisory; nobody is called that; there is ${name}\n`)
})

test.each([
  ['application/json', 'application/json'],
  ['*/*', 'application/json'],
  ['application/json, text/plain', 'application/json'],
  ['text/plain, application/json', 'text/plain; charset=utf-8'],
  ['TEXT/PLAIN; charset=utf-8', 'text/plain; charset=utf-8'],
])('who accepts "%s" is answered with %s', async (accept, type) => {
  const { headers } = await sendForm('agent_advise', { text: 'hello' }, { accept })

  expect(headers['content-type']).toBe(type)
})

test("the person's own seats are told apart from agents, in the sentence and in the answer", async () => {
  await shared.register({ instrument: 'human', tool: 'human', mailbox: true })
  const form = { text: 'hello', recipient_scope: '~alice/human*' }

  const said = await sendForm('agent_advise', form, sentence)
  const answered = await sendForm('agent_advise', form)

  expect(said.text).toBe('sent agent_advisory to you (waiting in its mailbox)\n')
  expect(answered.body).toMatchObject({ queued_count: 1, people_count: 1 })
})

test('a refusal is told as everywhere, whatever is accepted (AC-159)', async () => {
  const unknown = await sendForm('agent_advise', { text: 'a', file_ref: 'b' }, sentence)
  const nobody = await sendForm('agent_advise', { text: 'a', recipient_scope: '~bob' }, sentence)

  expect(unknown).toMatchObject({ status: 400, body: { code: 'field-unknown', field: 'file_ref' } })
  expect(nobody).toMatchObject({ status: 403, body: { code: 'scope-unauthorised' } })
})

/** Of so many octets, without a text that a handover has. */
const handoverOf = (octets: number): string => `text=${'a'.repeat(octets - 'text='.length)}`

const sendOf = (octets: number): Promise<Reply> =>
  request(shared.socket, '/v1/verbs/agent_handover', {
    method: 'POST',
    headers: { 'content-type': FORM },
    body: handoverOf(octets),
  })

test('a form may be three times as long as JSON, since an octet may take three, and not one octet more (R-35)', async () => {
  expect(await sendOf(3 * MAX_BODY_OCTETS)).toMatchObject({ status: 400, body: { code: 'field-unknown' } })
  expect(await sendOf(3 * MAX_BODY_OCTETS + 1)).toMatchObject({
    status: 413,
    body: { code: 'frame-too-large' },
  })
})

test('the reading verbs take a form too (docs/http.md §8)', async () => {
  const { status, body } = await sendForm('agent_roster', { limit: '1' })

  expect({ status, sessions: body.sessions.length }).toEqual({ status: 200, sessions: 1 })
})

test.each([
  [{ recipientCount: 0, queuedCount: 0 }, 'sent k; nobody is listening just now\n'],
  [{ recipientCount: 1, queuedCount: 0 }, 'sent k to 1 session\n'],
  [{ recipientCount: 0, queuedCount: 1 }, 'sent k to 1 session (waiting in its mailbox)\n'],
  [{ recipientCount: 0, queuedCount: 2 }, 'sent k to 2 sessions (waiting in their mailboxes)\n'],
  [{ recipientCount: 1, queuedCount: 2 }, 'sent k to 3 sessions (2 waiting in mailboxes)\n'],
  [{ recipientCount: 3, queuedCount: 0, peopleCount: 1 }, 'sent k to 2 agents and you\n'],
  [
    { recipientCount: 2, queuedCount: 1, peopleCount: 2 },
    'sent k to 1 agent and you (1 waiting in a mailbox)\n',
  ],
  [{ recipientCount: 2, queuedCount: 0, peopleCount: 2 }, 'sent k to you\n'],
  [{ recipientCount: 3, queuedCount: 0, terminalCount: 1 }, 'sent k to 2 agents and 1 terminal\n'],
  [{ recipientCount: 2, queuedCount: 0, terminalCount: 2 }, 'sent k to 2 terminals\n'],
  [
    { recipientCount: 3, queuedCount: 1, terminalCount: 1, peopleCount: 2 },
    'sent k to 1 agent, 1 terminal and you (1 waiting in a mailbox)\n',
  ],
])('%j is told as "%s" (PD-01)', (counts, line) => {
  expect(formatSentFrame({ kind: 'k', near: [], warnings: [], newLease: undefined, ...counts })).toBe(line)
})
