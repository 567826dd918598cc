/**
 * Names of the wire made from what a runtime calls things, and the settings a person makes.
 */
import { rmSync, writeFileSync } from 'node:fs'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { readEnvironment } from '../../../src/host/config/paths.ts'
import { isSessionId } from '../../../src/protocol/address/handle.ts'
import { dueFiles, withEdits } from '../../../src/hooks/answer/advisory.ts'
import { newHookState } from '../../../src/hooks/memory/hook-state.ts'
import { wireSessionId } from '../../../src/hooks/session/facts.ts'
import { HookSettingsFile } from '../../../src/hooks/session/settings.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { createTempDir } from '../../support/temp-dir.ts'

test('a session id of the runtime is kept where it can be, and folded where it cannot', () => {
  const uuid = '18721cb1-4e76-4b68-a5aa-649fcce2522b'

  expect(wireSessionId(uuid)).toBe(uuid)
  expect(wireSessionId('a b')).not.toBe(wireSessionId('a/b'))
  fc.assert(
    fc.property(fc.string({ minLength: 1, maxLength: 300 }), (id) => {
      expect(isSessionId(wireSessionId(id))).toBe(true)
    }),
  )
})

test.for([
  ['nothing', undefined, {}],
  ['an empty section', { hooks: {} }, {}],
  [
    'a section',
    { hooks: { conflict: 'deny', budget_bytes: 500, wakes_per_10_min: 0, wake_idle: false } },
    { conflict: 'deny', contextChars: 500, wakes: 0, wakesIdle: false },
  ],
  ['asking once', { hooks: { conflict: 'ask-once' } }, { conflict: 'ask-once' }],
  [
    'the most',
    { hooks: { budget_bytes: 10_000, wakes_per_10_min: 60 } },
    { contextChars: 10_000, wakes: 60 },
  ],
  ['too little', { hooks: { budget_bytes: 499, wakes_per_10_min: -1 } }, {}],
  ['too much', { hooks: { budget_bytes: 10_001, wakes_per_10_min: 61 } }, {}],
  ['nonsense', { hooks: { conflict: 7, budget_bytes: 'many', wakes_per_10_min: 1.5, wake_idle: 'no' } }, {}],
  ['no section', { hooks: [] }, {}],
  ['no JSON', '{', {}],
] as const)('settings of %s', async ([, content, expected]) => {
  await using dir = await createTempDir()
  const path = dir.file('config.json')
  if (content !== undefined) {
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content), { mode: 0o600 })
  }

  expect(
    new HookSettingsFile({ ...readEnvironment(), env: { AGENTD_CONFIG: path } }, new FakeClock()).get(),
  ).toEqual({
    conflict: 'show',
    contextChars: 4_000,
    foreign: 'count',
    wakes: 3,
    wakesIdle: true,
    ...expected,
  })
})

test('what a person sets holds a tenth of a second later', async () => {
  await using dir = await createTempDir()
  const path = dir.file('config.json')
  const clock = new FakeClock()
  const settings = new HookSettingsFile({ ...readEnvironment(), env: { AGENTD_CONFIG: path } }, clock)
  const before = settings.get()

  writeFileSync(path, JSON.stringify({ hooks: { conflict: 'deny' } }), { mode: 0o600 })
  clock.advance(100)
  const set = settings.get()
  rmSync(path)
  clock.advance(100)

  expect([before, set, settings.get()].map(({ conflict }) => conflict)).toEqual(['show', 'deny', 'show'])
  expect(settings.get()).toBe(settings.get())
})

test('a file is due again after a minute, and not for a hook that began a moment earlier', () => {
  const git = { worktree: '/r', repository: '/r/.git', gitDir: '/r/.git', branch: 'main' }
  const file = { absolute: '/r/a', path: 'a', ...git }
  const state = withEdits(newHookState('codex', 's1', 0), [file], 100_000)
  const isDue = (nowMs: number) => dueFiles(state, [file], nowMs).length === 1

  expect([isDue(99_000), isDue(100_000), isDue(159_999), isDue(160_000)]).toEqual([false, false, false, true])
  // A clock that was set back.
  expect(isDue(40_000)).toBe(true)
})
