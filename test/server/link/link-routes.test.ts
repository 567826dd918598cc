/** The paths of links: none where there is no link, and a bridge's alone where there is one (docs/http.md §13). */
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import type { Route } from '../../../src/protocol/routes/route.ts'
import { LINK_ROUTES } from '../../../src/protocol/routes/link-routes.ts'
import type { LinkPort, LinksPort } from '../../../src/server/ports/link-port.ts'
import { MAX_LINK_BATCH_OCTETS } from '../../../src/core/limits.ts'
import { request, type RequestOptions } from '../../support/http.ts'
import { refusalOf } from '../../support/refusals.ts'
import { requireShape } from '../../../src/protocol/refusal/refusal.ts'
import { MAX_PRESENCES_BESIDE, RecordsHead } from '../../../src/protocol/http/link-exchange.ts'
import { within } from '../../support/within.ts'
import { startInProcess } from '../in-process.ts'

const ROUTES = Object.values<Route>(LINK_ROUTES)
const OF_BRIDGE = ROUTES.filter(({ auth }) => auth === 'link')
const TOKEN = 'the-token-of-a-bridge'
const HEAD = { subject: 'agentd.v1.p.alice.f.devbox', stream_seq: 7, engine_at_ms: 1, signature: 'k s' }

function optionsOf({ method, takes }: Route): RequestOptions {
  return takes.length === 0 ? { method } : { method, body: '{}', headers: { 'content-type': takes[0] ?? '' } }
}

/** A link that writes down what it is asked. */
function recordingLink() {
  const calls: unknown[][] = []
  const note =
    (name: string) =>
    (...given: unknown[]): void =>
      void calls.push([name, ...given])
  const link: LinkPort = {
    state: () => {
      throw new Error('nobody asks here')
    },
    feed: (query, sink) => {
      calls.push(['feed', query])
      sink.write([Buffer.from('{"presence":"{}"}\n')])
      return { drained: note('drained'), closed: note('closed') }
    },
    records: (head, body) => {
      calls.push(['records', head, body])
      return Promise.resolve({ answers: [], cursor: null })
    },
    notePresence: note('presence'),
    noteEstate: () => ({ authority_epoch: 3 }),
    digest: () => ({ digest: null, sealed_digest: null }),
    noteAcknowledged: note('acknowledged'),
    noteCondition: note('condition'),
  }
  const links: LinksPort = {
    isLinked: true,
    linkOf: (token) => (token === TOKEN ? link : undefined),
    list: () => Promise.resolve({ links: [] }),
    metrics: () =>
      Promise.resolve([
        {
          type: 'gauge',
          name: 'agentd_link_up',
          help: 'x',
          samples: [{ labels: { link: 'home' }, value: 1 }],
        },
      ]),
  }
  return { calls, links }
}

test.each(ROUTES.map((route) => [`${route.method} ${route.path}`, route] as const))(
  '%s answers without a link as an unknown path does, with every method (FED-01)',
  async (_, route) => {
    await using unlinked = await startInProcess()
    const nowhere = await request(unlinked.socket, '/v1/nowhere')

    for (const method of ['GET', 'POST', 'DELETE'])
      expect(await request(unlinked.socket, route.path, { method })).toMatchObject({
        status: 404,
        text: nowhere.text,
      })
    expect(await request(unlinked.socket, route.path, { ...optionsOf(route), token: TOKEN })).toMatchObject({
      status: 404,
      text: nowhere.text,
    })
  },
)

test.each(OF_BRIDGE.map((route) => [`${route.method} ${route.path}`, route] as const))(
  '%s is for a bridge: nobody without its token, and no session (FED-07, FED-45)',
  async (_, route) => {
    const { links } = recordingLink()
    await using linked = await startInProcess({ links })
    const { body: session } = await request(linked.socket, '/v1/sessions', { json: { instrument: 'cc' } })

    for (const token of [undefined, 'wrong', session.token]) {
      const options = { ...optionsOf(route), ...(token !== undefined && { token }) }
      expect(await request(linked.socket, route.path, options)).toMatchObject({
        status: 401,
        body: { code: 'unauthenticated' },
      })
    }
  },
)

test("a bridge's token opens no other path (FED-07)", async () => {
  const { links } = recordingLink()
  await using linked = await startInProcess({ links })

  for (const path of ['/v1/sessions/self', '/v1/links', '/v1/frames', '/v1/handles/~alice/roster'])
    expect(await request(linked.socket, path, { token: TOKEN })).toMatchObject({ status: 401 })
})

test('a batch comes through octet for octet, and a batch over the bound does not (FED-17, FED-27)', async () => {
  const { calls, links } = recordingLink()
  await using linked = await startInProcess({ links })
  const send = (body: string | Buffer) =>
    request(linked.socket, '/v1/link/records', {
      method: 'POST',
      token: TOKEN,
      headers: { 'content-type': 'application/x-ndjson' },
      body,
    })
  const batch = '{"v":1}\n{"t":"frame", "x":"é"}\n'

  const taken = await send(`${JSON.stringify(HEAD)}\n${batch}`)
  const large = await send(`${JSON.stringify(HEAD)}\n${'x'.repeat(MAX_LINK_BATCH_OCTETS)}`)
  const broken = await send(Buffer.concat([Buffer.from(`${JSON.stringify(HEAD)}\n`), Buffer.from([0xff])]))
  const stranger = await send(`${JSON.stringify({ ...HEAD, stranger: 1 })}\n${batch}`)

  expect(taken).toMatchObject({ status: 200, body: { answers: [], cursor: null } })
  expect(calls).toEqual([['records', HEAD, batch]])
  expect(large).toMatchObject({ status: 413, body: { code: 'frame-too-large', field: 'records' } })
  expect(broken).toMatchObject({ status: 400, body: { code: 'field-invalid', field: 'records' } })
  expect(stranger).toMatchObject({ status: 400, body: { code: 'field-unknown', field: 'stranger' } })
})

test('only who joins may name no subject (FED-26)', () => {
  const empty = { ...HEAD, subject: '' }

  expect(refusalOf(() => requireShape(RecordsHead, empty, 'records'))).toMatchObject({ field: 'subject' })
  expect(refusalOf(() => requireShape(RecordsHead, { ...empty, joins: true }, 'records'))).toBeUndefined()
})

test('what a bridge notes comes to its link, and answers 204 (FED-51, FED-65)', async () => {
  const { calls, links } = recordingLink()
  await using linked = await startInProcess({ links })
  const presence = { node: 'devbox', engine_at_ms: 5, signature: 'k s', text: 'é'.repeat(40_000) }
  const acknowledged = { last: 'e1-7', reports: 0, stream_created: 'then', stream_seq: 9 }

  const answers = [
    await request(linked.socket, '/v1/link/presence', { token: TOKEN, json: presence }),
    await request(linked.socket, '/v1/link/acknowledged', { token: TOKEN, json: acknowledged }),
    await request(linked.socket, '/v1/link/condition', { token: TOKEN, json: { state: 'up' } }),
  ]
  const estate = await request(linked.socket, '/v1/link/estate', { token: TOKEN, json: { text: '{}' } })
  const digest = await request(linked.socket, '/v1/link/digest?event_id=e1-1', { token: TOKEN })

  expect(answers.map(({ status }) => status)).toEqual([204, 204, 204])
  expect(calls).toEqual([
    ['presence', presence],
    ['acknowledged', acknowledged],
    ['condition', { state: 'up' }],
  ])
  expect(estate.body).toEqual({ authority_epoch: 3 })
  expect(digest.body).toEqual({ digest: null, sealed_digest: null })
})

test('of several nodes in one request each counts by itself, and one more than an estate names is refused (FED-51)', async () => {
  const { calls, links } = recordingLink()
  await using linked = await startInProcess({ links })
  const presence = { node: 'devbox', engine_at_ms: 5, signature: 'k s', text: '{}' }
  const others = (count: number) => Array.from({ length: count }, (_, i) => ({ ...presence, node: `n${i}` }))
  const send = (json: object) => request(linked.socket, '/v1/link/presence', { token: TOKEN, json })

  const taken = await send({ ...presence, others: others(MAX_PRESENCES_BESIDE) })
  const known = calls.length
  const beyond = await send({ ...presence, others: others(MAX_PRESENCES_BESIDE + 1) })

  expect(taken.status).toBe(204)
  expect(calls.slice(-2)).toEqual([
    ['presence', { ...presence, node: `n${MAX_PRESENCES_BESIDE - 1}` }],
    ['presence', presence],
  ])
  expect(known).toBe(MAX_PRESENCES_BESIDE + 1)
  expect(beyond).toMatchObject({ status: 400, body: { code: 'field-invalid', field: 'others' } })
  expect(calls).toHaveLength(known)
})

test('a feed is lines without an end, and its link hears when the reader is gone (FED-25)', async () => {
  const { calls, links } = recordingLink()
  await using linked = await startInProcess({ links })
  const reader = connect(linked.socket)
  let text = ''
  const came = new Promise<void>((resolve) => {
    reader.on('data', (chunk) => {
      text += chunk.toString()
      if (text.includes('presence')) resolve()
    })
  })
  reader.write(
    `GET /v1/link/feed?after=e1-3&reports=5 HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${TOKEN}\r\n\r\n`,
  )

  await within(came, 'the first line')
  reader.destroy()
  await expect.poll(() => calls.at(-1)).toEqual(['closed'])

  expect(text).toContain('content-type: application/x-ndjson')
  expect(text).toMatch(/\r\n\r\n\{"presence":"\{\}"\}\n$/)
  expect(calls[0]).toEqual(['feed', { after: 'e1-3', reports: 5 }])
})

test('the metrics tell of each link with its name (FED-65)', async () => {
  const { links } = recordingLink()
  await using linked = await startInProcess({ links })

  const { text } = await request(linked.socket, '/v1/metrics')

  expect(text).toContain('# TYPE agentd_link_up gauge\nagentd_link_up{link="home"} 1\n')
})
