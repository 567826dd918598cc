/** From what a person calls a session to its address (docs/http.md §4). */
import { describe, expect, test } from 'vitest'
import { connect } from '../../../src/client/connect.ts'
import { LEAST_ID_CHARS, MAX_CANDIDATES, findRecipient } from '../../../src/client/reading/recipient.ts'
import { startTestDaemon } from '../../support/daemon.ts'

function session(name: string | undefined, sessionId: string, title: string | null = null) {
  return { name, sessionId, title, instrument: 'cc', address: `~alice/cc@${sessionId}` }
}

const ROSTER = [
  session('api-refactor', '01jq-alpha'),
  session('api-review', '01jq-beta'),
  session('cc-otter', 'cc-sid', 'Session store'),
  session('docs', 'api-docs'),
]

describe('a session is found', () => {
  test.each([
    ['by its name', 'api-review', '01jq-beta'],
    ['by its name in whatever case', 'API-Review', '01jq-beta'],
    ['by its id', '01jq-alpha', '01jq-alpha'],
    ['by its instrument and id', 'cc@cc-sid', 'cc-sid'],
    ['by all that its title says', 'session-store', 'cc-sid'],
    ['by a beginning that no other name has', 'api-ref', '01jq-alpha'],
    ['by a beginning of its id that no other has', '01jq-b', '01jq-beta'],
    ['by a beginning of instrument and id', 'cc@01jq-a', '01jq-alpha'],
    ['by its whole id before a beginning of names', 'api-docs', 'api-docs'],
    ['by a beginning of its name before one of an id', 'cc', 'cc-sid'],
  ])('%s', (_how, to, sessionId) => {
    expect(findRecipient(to, ROSTER).sessionId).toBe(sessionId)
  })
})

describe('nobody is found', () => {
  test.each([
    ['by what may be several, which are listed', 'api', 'field-invalid', 'api-refactor, api-review;'],
    ['by a beginning of several ids', '01jq', 'field-invalid', 'api-refactor, api-review;'],
    [
      'by a beginning of an id that a slip of the pen would be',
      '01j',
      'recipient-unknown',
      'There is api-re',
    ],
    ['by a mistyped name, with near ones', 'api-refacter', 'recipient-unknown', 'There is api-refactor'],
    ['by nothing', '', 'recipient-unknown', 'The roster'],
    ['by what no name can be', 'no such\nthing', 'recipient-unknown', '"no such\\nthing"'],
  ])('%s', (_how, to, code, words) => {
    expect(() => findRecipient(to, ROSTER)).toThrow(
      expect.objectContaining({ code, field: 'to', message: expect.stringContaining(words) }),
    )
  })

  test('and of many that are meant so many are listed', () => {
    const many = Array.from({ length: MAX_CANDIDATES + 2 }, (_, i) => session(`api-${i}`, `s${i}`))

    expect(() => findRecipient('api', many)).toThrow(/ and 2 more; write more of the name\.$/)
    expect('x'.repeat(LEAST_ID_CHARS)).toHaveLength(LEAST_ID_CHARS)
  })

  test('at a daemon that gives no names, but by an id', () => {
    const nameless = [session(undefined, '01jq-alpha')]

    expect(findRecipient('01jq', nameless).sessionId).toBe('01jq-alpha')
    expect(() => findRecipient('cc-otter', nameless)).toThrow(
      expect.objectContaining({ code: 'recipient-unknown' }),
    )
  })
})

describe('over the wire', () => {
  test('"to" reaches one session, by every word that takes it, and the frame goes to its address', async () => {
    await using daemon = await startTestDaemon()
    await using client = await connect({ socket: daemon.socket })
    const api = await client.session({ instrument: 'cc', title: 'API refactor', mailbox: true })
    const docs = await client.session({ instrument: 'cc', title: 'docs', mailbox: true })

    const sent = await docs.advise('hello', { to: 'api' })
    const lease = await docs.lock('src/auth.ts', { to: 'api-refactor' })
    const released = await lease.release()
    const { items: received } = await api.inbox.drain({ maxItems: 9 })
    const answered = await docs.ask('who?', { to: 'api', timeoutMs: 500 })
    const { items: sentItems } = await client.history()

    expect(api.facts.name).toBe('api-refactor')
    expect([sent, lease.request, released].map(({ queuedCount }) => queuedCount)).toEqual([1, 1, 1])
    expect(answered.recipients).toEqual([api.address])
    expect(received).toHaveLength(3)
    expect((await docs.inbox.drain()).items).toHaveLength(0)
    expect(await client.scopeOf('~alice/cc-*')).toBe('~alice/cc-*')
    expect(sentItems.map(({ scope }) => scope)).toEqual(Array.from({ length: 4 }, () => api.address))
  })

  test('an unknown name sends nothing, and a message goes to one of the two', async () => {
    await using daemon = await startTestDaemon()
    await using client = await connect({ socket: daemon.socket })

    await expect(client.advise('hello', { to: 'nobody' })).rejects.toMatchObject({
      code: 'recipient-unknown',
    })
    await expect(client.advise('hello', { to: 'a', scope: '~alice' })).rejects.toThrow('not to both')
    expect((await client.history()).items).toHaveLength(0)
  })

  test('a scope that names nobody is answered with who is near', async () => {
    await using daemon = await startTestDaemon()
    await using client = await connect({ socket: daemon.socket })
    const api = await client.session({ instrument: 'cc', title: 'API refactor' })
    const near = [{ name: 'api-refactor', address: api.address }]

    const sent = await client.advise('hello', { scope: '~alice/api-refact*' })
    const verb = await client.verb('agent_advise', { text: 'a', recipient_scope: '~alice/api-refact*' })

    expect(sent).toMatchObject({ recipientCount: 0, queuedCount: 0, near })
    expect(verb.near).toEqual(near)
    expect((await client.advise('hello')).near).toEqual([])
  })
})
