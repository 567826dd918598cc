/**
 * What a page could ask, once it has a token: paths round the list, other protocols, octets that two readers read
 * differently, and connections that never end.
 */
import { answered, attempt, FORGED, SAY } from './seat-heads.mjs'
import { exchange, send, textOf } from './seat.mjs'
import { makeEnvelope } from './envelopes.mjs'

/** Ways to write a path that is allowed, or one that is not, so that somebody who is careless takes it for another. */
const CROOKED = [
  '/v1//health',
  '//v1/health',
  '/v1/health/',
  '/v1/./health',
  '/v1/x/../health',
  '/v1/%68ealth',
  '/v1%2fhealth',
  '/%76%31/health',
  '/v1/health%00',
  '/v1/health;a=b',
  '/V1/HEALTH',
  '/v1/frames/%2e%2e/sessions/../../metrics',
  '/v1/frames/..',
  '/v1/frames/%2e%2e',
  '/v1/verbs/..%2fsessions',
  '/page.js/../v1/sessions',
  '/..%2f..%2fetc/passwd',
  '/index.html',
  '/favicon.ico',
]

/** What the daemon has and a page does not get. */
const FORBIDDEN = [
  ['POST', '/v1/sessions'],
  ['GET', '/v1/sessions/self'],
  ['DELETE', '/v1/sessions/self'],
  ['DELETE', '/v1/sessions/~alice%2Fcc@s1'],
  ['POST', '/v1/sessions/self/activity'],
  ['GET', '/v1/handles/~alice/stream'],
  ['POST', '/v1/frames'],
  ['GET', '/v1/frames'],
  ['POST', '/v1/inbox/drain'],
  ['GET', '/v1/inbox/wait'],
  ['POST', '/v1/log'],
  ['POST', '/v1/hooks/claude-code'],
  ['POST', '/v1/mcp'],
  ['POST', '/v1/stop'],
  ['GET', '/v1/metrics'],
  ['GET', '/v1/openapi.json'],
  ['GET', '/v1/schemas/frame'],
  ['POST', '/v1/verbs/agent_send'],
  ['POST', '/v1/verbs/agent_lock_acquire'],
  ['POST', '/v1/verbs/agent_subscribe'],
  ['POST', '/v1/verbs/__proto__'],
  ['POST', '/link'],
  ['POST', '/stop'],
]

function pathAttempts({ seat, token }) {
  return [
    ...CROOKED.map((path) => attempt(`path ${path}`, { path, token }, [404], seat)),
    ...FORBIDDEN.map(([method, path]) => {
      const json = method === 'POST' ? SAY.json : undefined
      return attempt(`${method} ${path}`, { method, path, token, json }, [404, 405], seat)
    }),
  ]
}

function methodAttempts({ seat, token }) {
  const { authority } = seat
  const preflight = {
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'authorization',
  }
  const upgrade = (protocol) => ({
    connection: 'upgrade',
    upgrade: protocol,
    authorization: `Bearer ${token}`,
  })
  const own = { origin: `http://${authority}` }
  return [
    ...['TRACE', 'PUT', 'PATCH', 'OPTIONS', 'PROPFIND'].map((method) =>
      attempt(method, { method, path: '/v1/health', token }, [405], seat),
    ),
    attempt('HEAD of the API', { method: 'HEAD', path: '/v1/health', token }, [405], seat),
    {
      name: 'a preflight of another origin',
      send: () =>
        send(seat, {
          method: 'OPTIONS',
          path: SAY.path,
          fields: { origin: 'http://evil.com', ...preflight },
        }),
      refused: (answer) => answer.status === 403 && !/access-control/i.test(answer.text),
    },
    attempt(
      'an upgrade to WebSocket',
      { path: '/v1/watch', fields: { ...own, ...upgrade('websocket') } },
      [0],
      seat,
    ),
    attempt('an upgrade to HTTP/2', { path: '/', fields: { ...own, ...upgrade('h2c') } }, [0], seat),
    attempt('CONNECT', { method: 'CONNECT', path: authority, token }, [0], seat),
    attempt('CONNECT to elsewhere', { method: 'CONNECT', path: 'evil.com:443' }, [0], seat),
  ]
}

function typeAttempts({ seat, token }) {
  const types = [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    'application/jsonp',
    '',
  ]
  return [
    ...types.map((type) =>
      attempt(
        `a body of ${type || 'no type'}`,
        { ...SAY, token, fields: { 'content-type': type } },
        [415],
        seat,
      ),
    ),
    attempt('a body that is packed', { ...SAY, token, fields: { 'content-encoding': 'gzip' } }, [415], seat),
    attempt(
      'a body of 80 kB',
      { ...SAY, token, json: { text: FORGED, pad: 'x'.repeat(80_000) } },
      [413],
      seat,
    ),
    attempt('a list', { ...SAY, token, json: [SAY.json] }, [400], seat),
    attempt('a member twice', { ...SAY, token, body: `{"text":"x","text":"${FORGED}"}` }, [400], seat),
    attempt('a body that nests without end', { ...SAY, token, body: '['.repeat(60_000) }, [400], seat),
  ]
}

function smugglingAttempts({ seat, token }) {
  const raw = (name, text, statuses = [400]) => ({
    name,
    send: () => exchange(seat, text),
    refused: answered(...statuses, 0),
  })
  const head = (...fields) =>
    textOf(seat, { ...SAY, json: undefined, token, fields: { 'content-length': undefined } }).replace(
      '\r\n\r\n',
      `\r\n${fields.join('\r\n')}\r\n\r\n`,
    )
  const ok = textOf(seat, { path: '/v1/health', token, fields: { connection: undefined } })
  const foreign = textOf(seat, { ...SAY, token, fields: { host: 'evil.com' } })
  return [
    raw('length and chunks', `${head('content-length: 5', 'transfer-encoding: chunked')}0\r\n\r\n`),
    raw('two lengths', `${head('content-length: 2', 'content-length: 30')}{}`),
    raw('a length with a sign', `${head('content-length: +2')}{}`),
    raw('chunks of another coding', `${head('transfer-encoding: gzip, chunked')}0\r\n\r\n`, [400, 413, 415]),
    raw('a broken chunk', `${head('transfer-encoding: chunked')}5\r\n{"te\r\nZZ\r\n`, [400, 408]),
    raw('a blank before the colon', head('x : y')),
    raw('a folded line', head('x: a\r\n b')),
    raw('a line feed alone', textOf(seat, { ...SAY, token }).replaceAll('\r\n', '\n')),
    raw('a NUL in a field', head('x: a\0b')),
    raw('not HTTP', '\x16\x03\x01\x02\x00\x01\r\n\r\n'),
    raw('HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
    raw('HTTP/0.9', 'GET /\r\n\r\n', [400, 421]),
    raw('a head of 9 kB', head(`x: ${'y'.repeat(9_000)}`), [431]),
    raw(
      '200 fields of a kilobyte',
      head(...Array.from({ length: 200 }, (_, i) => `x-${i}: ${'y'.repeat(1_000)}`)),
      [431],
    ),
    ...['one cookie of 9 kB', '180 cookies of 4 kB'].map((name, at) => ({
      name: `${name}, and whoever comes next is served`,
      send: async () => {
        const cookie = `a=${'y'.repeat(at === 0 ? 9_000 : 4_000)}`
        const bomb = await exchange(
          seat,
          head(`cookie: ${at === 0 ? cookie : Array(180).fill(cookie).join('; ')}`),
        )
        const next = await send(seat, { path: '/v1/health', token })
        return { ...bomb, next: next.status }
      },
      refused: ({ status, next }) => status === 431 && next === 200,
    })),
    {
      name: 'another host behind a good request',
      send: () => exchange(seat, ok + foreign),
      refused: ({ text }) => /HTTP\/1\.1 200 [\s\S]*HTTP\/1\.1 421 /.test(text),
    },
  ]
}

/** Speaking as somebody else, with everything that signing in gives. */
function identityAttempts({ seat, token }) {
  const envelope = (from) => ({ method: 'POST', path: '/v1/envelopes', token, json: makeEnvelope({ from }) })
  return [
    attempt('an envelope of an agent', envelope('agent.torture'), [403], seat),
    attempt('an envelope of another person', envelope('human.bob'), [403], seat),
    attempt('an envelope of the daemon', envelope('service.agentd'), [403], seat),
    {
      name: 'a frame with another basis and instrument',
      send: () => {
        const claims = { drafted_with: '~cc-opus', provenance: { basis: 'measured' } }
        return send(seat, { ...SAY, token, json: { text: 'a person says', ...claims } })
      },
      refused: ({ body }) =>
        body?.frame?.drafted_with === '~human' && body.frame.provenance_basis === 'person',
    },
  ]
}

/** All of them. @param stage - of `browser.mjs` */
export function bodyAttempts(stage) {
  return [
    ...pathAttempts(stage),
    ...methodAttempts(stage),
    ...typeAttempts(stage),
    ...smugglingAttempts(stage),
    ...identityAttempts(stage),
  ]
}
