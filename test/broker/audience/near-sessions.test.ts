/** A scope that names nobody is answered with who is near it (docs/http.md §5). */
import { expect, test } from 'vitest'
import { MAX_NEAR_LOOKED_AT, MAX_NEAR_SESSIONS } from '../../../src/broker/audience/near-sessions.ts'
import { Workbench } from '../workbench.ts'

const API = { name: 'api-refactor', address: '~alice/cc@s-one' }

function withApi(): Workbench {
  const bench = new Workbench()
  bench.session('cc', 's-one', { title: 'API refactor', mailbox: true })
  return bench
}

test.each([
  ['a mistyped id', '~alice/cc@s-onw'],
  ['the id of another instrument', '~alice/codex@s-one'],
  ['a name in the place of the id', '~alice/cc@api-refactr'],
  ['a name in the place of the instrument', '~alice/api-refactor@x'],
  ['a prefix of a name', '~alice/api-ref*'],
  ['a prefix that is longer than the instrument', '~alice/cc-*'],
])('%s is near', (_what, scope) => {
  expect(withApi().publish({ scope })).toMatchObject({ recipient_count: 0, queued_count: 0, near: [API] })
})

test.each([
  ['everybody', '~alice/*'],
  ['a session that is there and listens to nothing', '~alice/away@s1'],
  ['instruments that are there and listen to nothing', '~alice/away*'],
  ['nobody and nothing near', '~alice/cc@0123456789'],
])('there is no hint for a scope that names %s', (_what, scope) => {
  const bench = new Workbench()
  bench.session('away', 's1')

  expect(bench.publish({ scope })).not.toHaveProperty('near')
})

test('nobody is told of itself, nor of what is reached', () => {
  const bench = withApi()
  const own = bench.session('cc', 's-two', { title: 'own' })

  expect(bench.publish({ from: own, scope: '~alice/cc@s-tw' }).near).toEqual([API])
  expect(bench.publish({ scope: '~alice/cc@s-one' })).not.toHaveProperty('near')
})

test('an answer names so many and no more, and looks at so many and no more', () => {
  const bench = new Workbench()
  for (let i = 0; i <= MAX_NEAR_LOOKED_AT; i += 1) bench.session('cc', `first-${i}`, { title: `t${i}` })
  const last = MAX_NEAR_LOOKED_AT

  expect(bench.publish({ scope: '~alice/cc@first-x' }).near).toHaveLength(MAX_NEAR_SESSIONS)
  expect(bench.publish({ scope: `~alice/x@first-${last - 1}` }).near?.[0]?.name).toBe(`t${last - 1}`)
  expect(bench.publish({ scope: `~alice/x@first-${last}` }).near?.map(({ name }) => name)).not.toContain(
    `t${last}`,
  )
})

test('a repeat is answered as the first time', () => {
  const bench = withApi()
  const frame = bench.frame()
  const first = bench.publishFrame(frame, { scope: '~alice/cc@s-onw' })

  expect(bench.publishFrame(frame, { scope: '~alice/cc@s-onw' })).toEqual({ ...first, duplicate: true })
})
