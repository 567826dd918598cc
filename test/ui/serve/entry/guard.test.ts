/** Who may ask, by the head of a request: the table of SEAT-13, row by row. */
import { expect, test } from 'vitest'
import { headFault } from '../../../../src/ui/serve/entry/guard.ts'

const HERE = '127.0.0.1:4242'

interface Sent {
  readonly method?: string
  readonly target?: string
  /** Names and values in turns, after the right host. */
  readonly fields?: readonly string[]
  readonly hosts?: readonly string[]
}

function codeOf({ method = 'GET', target = '/v1/health', fields = [], hosts = [HERE] }: Sent): unknown {
  const rawHeaders = [...hosts.flatMap((host) => ['Host', host]), ...fields]
  return headFault({ method, target, rawHeaders }, HERE)?.body['code']
}

test.each([
  ['localhost', ['localhost:4242']],
  ['localhost with a dot', ['localhost.:4242']],
  ['a name that leads here', ['127.evil.com:4242']],
  ['the address with a dot', ['127.0.0.1.:4242']],
  ['another port', ['127.0.0.1:4243']],
  ['no port', ['127.0.0.1']],
  ['the address as one number', ['2130706433:4242']],
  ['the address in short', ['127.1:4242']],
  ['IPv6', ['[::1]:4242']],
  ['IPv4 in IPv6', ['[::ffff:127.0.0.1]:4242']],
  ['a user in front', [`x@${HERE}`]],
  ['nothing', ['']],
  ['none', []],
  ['two', [HERE, HERE]],
  ['two, one of them of elsewhere', [HERE, 'evil.com']],
])('a request to another host is refused: %s (SEAT-13)', (_name, hosts) => {
  expect(codeOf({ hosts })).toBe('wrong-host')
})

test('a target that names a host of its own is refused, and so is one that is no path (SEAT-13)', () => {
  expect(codeOf({ target: `http://${HERE}/` })).toBe('wrong-host')
  expect(codeOf({ target: '*', method: 'OPTIONS' })).toBe('wrong-host')
  expect(codeOf({ target: HERE, method: 'CONNECT' })).toBe('wrong-host')
  expect(codeOf({})).toBeUndefined()
})

test.each(['null', 'http://127.0.0.1:4243', `https://${HERE}`, `http://${HERE}.evil.com`, `http://${HERE}/`])(
  'a request from the origin %s is refused, whatever it asks (SEAT-13)',
  (origin) => {
    expect(codeOf({ fields: ['Origin', origin] })).toBe('wrong-origin')
    expect(codeOf({ method: 'POST', fields: ['Origin', origin] })).toBe('wrong-origin')
  },
)

test.each(['file://', 'chrome-extension://abcdef', 'http://localhost:4242', ''])(
  'so is one from %j (SEAT-13)',
  (origin) => {
    expect(codeOf({ fields: ['Origin', origin] })).toBe('wrong-origin')
  },
)

test('what is more than reading says where it is from, and says it once (SEAT-13)', () => {
  const own = ['Origin', `http://${HERE}`]

  for (const method of ['POST', 'DELETE', 'PUT', 'OPTIONS', 'TRACE']) {
    expect(codeOf({ method }), method).toBe('wrong-origin')
    expect(codeOf({ method, fields: own }), method).toBeUndefined()
  }
  expect(codeOf({ method: 'HEAD' })).toBeUndefined()
  expect(codeOf({ method: 'POST', fields: [...own, ...own] })).toBe('wrong-origin')
})

function from(site: string, ...more: readonly string[]): unknown {
  return codeOf({ fields: ['Sec-Fetch-Site', site, ...more] })
}

function follow(site: string, mode: string, dest: string): unknown {
  const fields = ['Sec-Fetch-Site', site, 'Sec-Fetch-Mode', mode, 'Sec-Fetch-Dest', dest]
  return codeOf({ target: '/', fields })
}

test('only the page asks, by what the browser says of the site (SEAT-13)', () => {
  expect(from('same-origin')).toBeUndefined()
  for (const site of ['none', 'same-site', 'cross-site', 'nonsense', '']) {
    expect(from(site), site).toBe('wrong-site')
    expect(from(site, 'Sec-Fetch-Mode', 'navigate', 'Sec-Fetch-Dest', 'document'), site).toBe('wrong-site')
  }
  expect(from('same-origin', 'Sec-Fetch-Site', 'cross-site')).toBe('wrong-site')
})

test('a link to the page is followed from anywhere, into a window and into nothing else (SEAT-13)', () => {
  for (const site of ['none', 'cross-site', 'same-site', 'same-origin']) {
    expect(follow(site, 'navigate', 'document'), site).toBeUndefined()
  }
  expect(follow('cross-site', 'navigate', 'iframe')).toBe('wrong-site')
  expect(follow('cross-site', 'no-cors', 'script')).toBe('wrong-site')
  expect(follow('cross-site', 'cors', 'empty')).toBe('wrong-site')
  expect(follow('nonsense', 'navigate', 'document')).toBe('wrong-site')
})

const FORM = ['Origin', 'null', 'Content-Type', 'application/x-www-form-urlencoded']

/** A form from a page of no origin, but for what is said otherwise. */
function post(target: string, mode: string, dest: string, fields: readonly string[] = FORM): unknown {
  const site = ['Sec-Fetch-Site', 'cross-site', 'Sec-Fetch-Mode', mode, 'Sec-Fetch-Dest', dest]
  return codeOf({ method: 'POST', target, fields: [...fields, ...site] })
}

test('a form of no origin is let in at the login alone, for a window alone (SEAT-13, SEAT-15)', () => {
  expect(post('/login', 'navigate', 'document')).toBeUndefined()
  expect(codeOf({ method: 'POST', target: '/login', fields: FORM })).toBeUndefined()
  expect(post('/login', 'navigate', 'iframe')).toBe('wrong-site')
  expect(post('/login', 'no-cors', 'empty')).toBe('wrong-site')
  expect(
    codeOf({ method: 'POST', target: '/login', fields: [...FORM, 'Sec-Fetch-Site', 'same-origin'] }),
  ).toBe('wrong-site')
  for (const target of ['/', '/login?x', '/login/', '/logout', '/v1/verbs/agent_broadcast'])
    expect(post(target, 'navigate', 'document'), target).toBe('wrong-origin')
  const json = ['Origin', 'null', 'Content-Type', 'application/json']
  expect(post('/login', 'navigate', 'document', json)).toBe('wrong-origin')
  expect(post('/login', 'navigate', 'document', [...FORM, ...FORM])).toBe('wrong-origin')
  expect(codeOf({ target: '/login', fields: FORM })).toBe('wrong-origin')
})

test('the host is looked at before the origin, and that before the site (SEAT-13)', () => {
  const wrong = ['Origin', 'null', 'Sec-Fetch-Site', 'cross-site']

  expect(codeOf({ hosts: ['x'], fields: wrong })).toBe('wrong-host')
  expect(codeOf({ fields: wrong })).toBe('wrong-origin')
})
