/**
 * What a web page could send, by the head of a request: names that lead here, origins, sites, tokens and keys.
 *
 * An attempt is `{name, send, refused}`: what is sent, with a stage of `browser.mjs`, and which answers are a refusal.
 */
import { logIn, makeKey, send, signIn } from './seat.mjs'

/** Whether it was answered with one of these. @param statuses - 0 for a connection that was closed without a word */
export function answered(...statuses) {
  return ({ status, text, closedMs }) =>
    statuses.includes(status) || (statuses.includes(0) && text === '' && closedMs !== undefined)
}

/** Writing a frame that would tell: looked for at the daemon when all is over. */
export const FORGED = 'forged by a page'
export const SAY = { method: 'POST', path: '/v1/verbs/agent_broadcast', json: { text: FORGED } }

const HOSTS = (port) => [
  `localhost:${port}`,
  `localhost.:${port}`,
  `127.evil.com:${port}`,
  `127.0.0.1.evil.com:${port}`,
  `127.0.0.1.:${port}`,
  `[::ffff:127.0.0.1]:${port}`,
  `[::1]:${port}`,
  `127.1:${port}`,
  `2130706433:${port}`,
  `0x7f000001:${port}`,
  `0.0.0.0:${port}`,
  '127.0.0.1',
  `127.0.0.1:${port === 80 ? 81 : 80}`,
  `x@127.0.0.1:${port}`,
  '',
]

function hostAttempts({ seat, token }) {
  const { authority, port } = seat
  const hosts = [
    ...HOSTS(port).map((host) => ({ name: JSON.stringify(host), asked: { fields: { host } } })),
    { name: 'none', asked: { fields: { host: undefined } } },
    { name: 'two', asked: { fields: { host: [authority, authority] } } },
    { name: 'two, one of them foreign', asked: { fields: { host: [authority, 'evil.com'] } } },
    { name: 'absolute-form', asked: { path: `http://${authority}/v1/health` } },
    { name: 'absolute-form of elsewhere', asked: { path: 'http://evil.com/v1/health' } },
  ]
  return hosts.flatMap(({ name, asked }) => [
    attempt(`host ${name}, reading`, { path: '/v1/health', token, ...asked }, [400, 421], seat),
    attempt(`host ${name}, writing`, { ...SAY, token, ...asked }, [400, 421, 404], seat),
  ])
}

const ORIGINS = ({ authority, port }) => [
  'null',
  `http://127.0.0.1:${port + 1}`,
  `https://${authority}`,
  `http://${authority}.evil.com`,
  `http://localhost:${port}`,
  'file://',
  'chrome-extension://abcdefghijklmnop',
  'http://evil.com',
]

function originAttempts({ seat, token }) {
  const own = `http://${seat.authority}`
  return [
    ...ORIGINS(seat).flatMap((origin) => [
      attempt(`origin ${origin}, reading`, { path: '/v1/health', token, fields: { origin } }, [403], seat),
      attempt(`origin ${origin}, writing`, { ...SAY, token, fields: { origin } }, [403], seat),
    ]),
    attempt('no origin, writing', { ...SAY, token, fields: { origin: undefined } }, [403], seat),
    attempt('two origins', { ...SAY, token, fields: { origin: [own, own] } }, [403], seat),
  ]
}

function siteAttempts({ seat, token }) {
  const api = ['none', 'same-site', 'cross-site', 'nonsense'].map((site) =>
    attempt(`site ${site}`, { path: '/v1/health', token, fields: { 'sec-fetch-site': site } }, [403], seat),
  )
  const kinds = [
    ['a script', '/page.js', 'no-cors', 'script'],
    ['an image', '/icon.svg', 'no-cors', 'image'],
    ['a style', '/page.css', 'no-cors', 'style'],
    ['a frame', '/', 'navigate', 'iframe'],
    ['an object', '/', 'navigate', 'object'],
    ['a fetch', '/', 'cors', 'empty'],
    ['a prefetch', '/', 'no-cors', 'empty'],
    ['a stream', '/v1/watch', 'cors', 'empty'],
    ['a navigation to the API', '/v1/health', 'navigate', 'document'],
  ]
  const elsewhere = kinds.map(([what, path, mode, dest]) => {
    const fields = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': mode, 'sec-fetch-dest': dest }
    return attempt(`${what} of another site`, { path, token, fields }, [403], seat)
  })
  const form = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
  const posted = attempt(
    'a form of another site',
    { ...SAY, token, fields: { ...form, origin: 'null' } },
    [403],
    seat,
  )
  return [...api, ...elsewhere, posted]
}

function tokenAttempts({ seat, token, revoked }) {
  const shown = (authorization) => ({ ...SAY, fields: { authorization } })
  const ways = {
    none: SAY,
    wrong: shown(`Bearer ${'A'.repeat(43)}`),
    'signed out': { ...SAY, token: revoked },
    'cut short': shown(`Bearer ${token.slice(1)}`),
    'one too long': shown(`Bearer ${token}A`),
    'another scheme': shown(`Basic ${Buffer.from(`x:${token}`).toString('base64')}`),
    'in lower case': shown(`bearer ${token.toLowerCase()}`),
    twice: shown([`Bearer ${token}`, `Bearer ${token}`]),
    'in the query': { ...SAY, path: `${SAY.path}?token=${token}&access_token=${token}` },
    'in a cookie': { ...SAY, fields: { cookie: `token=${token}; authorization=Bearer%20${token}` } },
    'in the body': { ...SAY, json: { ...SAY.json, token, authorization: `Bearer ${token}` } },
    "a session's of the daemon": { ...SAY, token: 'B'.repeat(43) },
    "the person's key": { ...SAY, fields: { 'agentd-key': 'C'.repeat(43) } },
  }
  return Object.entries(ways).map(([name, asked]) => attempt(`token ${name}`, asked, [401], seat))
}

/** Paths that end in the page's process, read from elsewhere and without what signing in gives. */
const OWN_READING = ['/thread?corr=nightly', '/signing', '/editor?address=a&file=b']

function ownAttempts({ seat, token, revoked, usedKey }) {
  const { authority, port } = seat
  const ways = {
    'of another name': { asked: { token, fields: { host: `localhost:${port}` } }, statuses: [400, 421] },
    'of a rebound name': { asked: { token, fields: { host: `evil.com:${port}` } }, statuses: [400, 421] },
    'of another port': {
      asked: { token, fields: { origin: `http://127.0.0.1:${port + 1}` } },
      statuses: [403],
    },
    'of no origin': { asked: { token, fields: { origin: 'null' } }, statuses: [403] },
    'of another origin': { asked: { token, fields: { origin: 'http://evil.com' } }, statuses: [403] },
    'of a suffix': { asked: { token, fields: { origin: `http://${authority}.evil.com` } }, statuses: [403] },
    'of another site': { asked: { token, fields: { 'sec-fetch-site': 'cross-site' } }, statuses: [403] },
    'of a same site': { asked: { token, fields: { 'sec-fetch-site': 'same-site' } }, statuses: [403] },
    'of nobody': { asked: {}, statuses: [401] },
    'with a wrong token': { asked: { token: 'A'.repeat(43) }, statuses: [401] },
    'with a token that was given back': { asked: { token: revoked }, statuses: [401] },
    'with a key in place of a token': { asked: { token: usedKey }, statuses: [401] },
    'with the token in a cookie': { asked: { fields: { cookie: `token=${token}` } }, statuses: [401] },
  }
  return OWN_READING.flatMap((path) => [
    ...Object.entries(ways).map(([name, { asked, statuses }]) =>
      attempt(`${path} ${name}`, { path, ...asked }, statuses, seat),
    ),
    attempt(`${path} with the token in the query`, { path: `${path}&token=${token}` }, [401], seat),
    attempt(`${path} as a POST`, { method: 'POST', path, token, json: {} }, [405], seat),
  ])
}

function keyAttempts({ seat, usedKey }) {
  const login = (name, body, statuses = [401, 429]) =>
    attempt(`key ${name}`, { method: 'POST', path: '/login', body }, statuses, seat)
  return [
    login('used before', JSON.stringify({ key: usedKey })),
    login('wrong', JSON.stringify({ key: 'A'.repeat(43) })),
    login('empty', '{"key":""}'),
    login('no text', '{"key":["x"]}'),
    login('of a prototype', '{"key":"__proto__"}'),
    login('none', '{}'),
    login('no JSON', 'key=x', [400]),
    attempt('key in the query', { path: `/login?key=${usedKey}` }, [405], seat),
    attempt(
      'key as a form',
      { method: 'POST', path: '/login', body: `key=${usedKey}`, fields: FORM },
      [415],
      seat,
    ),
  ]
}

export const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

const SEEN = { visible: true }

/** All of them. @param stage - of `browser.mjs` */
export function headAttempts(stage) {
  return [
    ...hostAttempts(stage),
    ...originAttempts(stage),
    ...siteAttempts(stage),
    ...tokenAttempts(stage),
    ...keyAttempts(stage),
    ...ownAttempts(stage),
    attempt(
      'saying that it is seen, without a token',
      { method: 'POST', path: '/visible', json: SEEN },
      [401],
      stage.seat,
    ),
  ]
}

/** One request that has to be refused. @param statuses - as {@link answered} takes them */
export function attempt(name, asked, statuses, seat) {
  return { name, send: () => send(seat, asked), refused: answered(...statuses) }
}

/**
 * Wrong keys, many at once, and a right one among them.
 *
 * @returns `{tried, letIn, isRightLetIn, others}`; of the others each was answered as no wrong key is, by status, and a
 *   connection that was closed without a word is `undefined`
 */
export async function guess(seat, count) {
  const keys = Array.from({ length: count }, (_, i) => `${i}`.padStart(43, 'A'))
  let letIn = 0
  const others = []
  const work = Array.from({ length: 16 }, async (_, lane) => {
    for (let at = lane; at < keys.length; at += 16) {
      const { status } = await logIn(seat, keys[at])
      if (status === 200) letIn += 1
      else if (status !== 401 && status !== 429) others.push(String(status))
    }
  })
  const right = await logIn(seat, await makeKey(seat))
  await Promise.all(work)
  return { tried: count, letIn, isRightLetIn: right.status === 200, others }
}

/** A token that has been given back. */
export async function revokedToken(seat) {
  const token = await signIn(seat)
  await send(seat, { method: 'POST', path: '/logout', token, json: {} })
  return token
}
