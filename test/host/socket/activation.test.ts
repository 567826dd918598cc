import { expect, test } from 'vitest'
import { activatedListenerFd, consumeActivation } from '../../../src/host/socket/activation.ts'
import { surroundings } from '../surroundings.ts'

const self = String(process.pid)

test('one descriptor passed to this process is number 3', () => {
  const environment = surroundings('/nowhere', { env: { LISTEN_PID: self, LISTEN_FDS: '1' } })

  expect(activatedListenerFd(environment)).toBe(3)
})

test.each([
  [{}],
  [{ LISTEN_PID: self }],
  [{ LISTEN_FDS: '1' }],
  [{ LISTEN_PID: '1', LISTEN_FDS: '1' }],
  [{ LISTEN_PID: self, LISTEN_FDS: '0' }],
  [{ LISTEN_PID: self, LISTEN_FDS: '2' }],
  [{ LISTEN_PID: self, LISTEN_FDS: '1x' }],
])('%j hands nothing over to us', (env) => {
  expect(activatedListenerFd(surroundings('/nowhere', { env }))).toBeUndefined()
})

test('the hand-over is forgotten, so that no child takes it for its own', () => {
  const env = { LISTEN_PID: self, LISTEN_FDS: '1', LISTEN_FDNAMES: 'agentd', HOME: '/h' }
  const environment = surroundings('/nowhere', { env })

  consumeActivation(environment)

  expect(env).toEqual({ HOME: '/h' })
  expect(activatedListenerFd(environment)).toBeUndefined()
})
