/** What a page may do: the list, and that there is no way round it (SEAT-03). */
import { expect, test } from 'vitest'
import { ROUTES } from '../../../../src/protocol/routes/routes.ts'
import { isOpen, matchRoute } from '../../../../src/ui/serve/entry/routes.ts'

function found(method: string, target: string): unknown {
  const match = matchRoute(method, target)
  return match.kind === 'refused' ? match.body['code'] : match.route
}

test('every route of the daemon that is not on the list is not there (SEAT-03)', () => {
  const passing = Object.entries(ROUTES).flatMap(([name, { method, path }]) => {
    const target = path.replace('{verb}', 'agent_advise').replaceAll(/\{\w+\}/g, 'x')
    return found(method, target) === name ? [name] : []
  })

  expect(passing.toSorted()).toEqual(
    [
      'callVerb',
      'forgetFrames',
      'getHealth',
      'getEvents',
      'getEvent',
      'getNeeds',
      'getReceipts',
      'getSummary',
      'getThread',
      'getThreads',
      'markSeen',
      'openWatch',
      'submitEnvelope',
    ].toSorted(),
  )
})

test('a page speaks by seven verbs, and not by the one that sends any frame (SEAT-03)', () => {
  for (const verb of ['respond', 'advise', 'broadcast', 'handover', 'query', 'decide', 'return']) {
    expect(found('POST', `/v1/verbs/agent_${verb}`), verb).toBe('callVerb')
  }
  for (const verb of [
    'agent_send',
    'agent_lock_acquire',
    'agent_subscribe',
    'agent_roster',
    'flush_execute',
  ]) {
    expect(found('POST', `/v1/verbs/${verb}`), verb).toBe('not-found')
  }
})

test.each([
  '/v1//health',
  '/v1/health/',
  '//v1/health',
  '/v1/./health',
  '/v1/../v1/health',
  '/v1/%68ealth',
  '/v1%2fhealth',
  '/v1/frames/..',
  '/v1/frames/%2e%2e',
  '/v1/frames/%zz',
  '/v1/frames/',
  '/v1/verbs/agent_%73end',
  '/V1/health',
  '/v1/health;x',
  '/v1/health%00',
  '/%2flogin',
  '/page.js/../v1/sessions',
])('%s is nothing at all (SEAT-03)', (target) => {
  expect(found('GET', target)).toBe('not-found')
  expect(found('POST', target)).toBe('not-found')
})

test('a parameter is decoded, and stays one segment (SEAT-03)', () => {
  const match = matchRoute('GET', '/v1/frames/..%2fsessions?wait=seen')

  expect(match).toMatchObject({
    route: 'getReceipts',
    path: { frame_id: '../sessions' },
    query: { wait: 'seen' },
  })
})

test('another method is told which ones there are, and a parameter stands once (SEAT-03)', () => {
  expect(matchRoute('PUT', '/v1/health')).toMatchObject({ status: 405, allow: ['GET'] })
  expect(matchRoute('GET', '/login')).toMatchObject({ status: 405, allow: ['POST'] })
  expect(matchRoute('HEAD', '/v1/health')).toMatchObject({ status: 405 })
  expect(matchRoute('DELETE', '/v1/frames?kind=a&kind=b')).toMatchObject({ status: 400 })
})

test('signing in and greeting need no token, and nothing else does without (SEAT-16)', () => {
  expect(['/login', '/hello?nonce=x'].every(isOpen)).toBe(true)
  expect(['/logout', '/editor', '/thread', '/v1/health', '/login/', '/login%2f', '/'].some(isOpen)).toBe(
    false,
  )
})
