/** What sessions are called as they come, change, are carried on and leave (docs/http.md §4). */
import { expect, test } from 'vitest'
import { Workbench } from '../workbench.ts'

const LEASE_MS = 1_800_000

test('a name stays when a title comes later, or another one', () => {
  const bench = new Workbench()
  const held = bench.register({ instrument: 'cc', session_id: 's1', tool: 'cc' })
  const { name } = held.session

  bench.register({ instrument: 'cc', session_id: 's1', tool: 'cc', title: 'API refactor' }, held)

  expect(name).toMatch(/^cc-[a-z]+$/)
  expect(held.session.name).toBe(name)
})

test('the heir is called as its predecessor, alive or over, and a third session is not', () => {
  const bench = new Workbench()
  const first = bench.register({ instrument: 'cc', session_id: 's1', title: 'API refactor', mailbox: true })

  const second = bench.register({ instrument: 'cc', session_id: 's2', successor_of: 'cc@s1' })
  const between = first.session.name
  bench.broker.sessions.close(first.session)
  bench.broker.sessions.close(second.session)
  const third = bench.session('cc', 's3', { successor_of: 'cc@s2', title: 'another' })

  expect([second.session.name, between, third.name]).toEqual([
    'api-refactor',
    'api-refactor-2',
    'api-refactor',
  ])
  expect(bench.session('cc', 's4', { title: 'API refactor' }).name).toBe('api-refactor-2')
})

test('an update that carries another session on keeps the name that was shown', () => {
  const bench = new Workbench()
  const former = bench.session('cc', 's1', { title: 'former' })
  const held = bench.register({ instrument: 'cc', session_id: 's2', title: 'own', mailbox: true })

  bench.register({ instrument: 'cc', session_id: 's2', mailbox: true, successor_of: 'cc@s1' }, held)

  expect([held.session.name, former.name]).toEqual(['own', 'former'])
})

test('who takes an address over, or comes back to it after its lease or its end, is called as before', () => {
  const bench = new Workbench()
  const names = [bench.session('cc', 's1', { title: 'API refactor' }).name]
  bench.clock.advance(LEASE_MS)
  const back = bench.session('cc', 's1', { title: 'later title' })
  names.push(back.name)
  bench.broker.sessions.close(back)
  names.push(bench.session('cc', 's1').name)

  expect(names).toEqual(['api-refactor', 'api-refactor', 'api-refactor'])
})

test('a visitor has a name while it is there, and leaves it to the next one', () => {
  const bench = new Workbench()
  const visit = (sessionId: string) =>
    bench.broker.sessions.visit({ handle: '~alice', instrument: 'cli', sessionId, tool: 'other' })
  const { subscription } = bench.open(visit('v1'))
  const second = visit('v2').name

  subscription.closed()

  expect([second, visit('v3').name]).toEqual(['cli-2', 'cli'])
})

test('sessions of another handle of the principal share no name with the rest', () => {
  const bench = new Workbench()
  const own = bench.session('cc', 's1', { title: 'api', handle: '~cc', drafted_with: '~cc' })

  expect([own.name, bench.session('cc', 's1', { title: 'api' }).name]).toEqual(['api', 'api-2'])
})
