/** What is remembered of what a session has seen, within its bounds (OB-05, OB-06). */
import { expect, test } from 'vitest'
import {
  MAX_SEEN_FILES,
  MAX_SEEN_WORKTREES,
  MAX_TOLD,
  MAX_VIEWS,
  SessionView,
  SessionViews,
} from '../../../src/hooks/observation/session-view.ts'
import { mayBeOwn } from '../../../src/hooks/observation/own-work.ts'
import type { HookEvent } from '../../../src/runtimes/events/event.ts'
import { eventOf, payloadOf } from '../../runtimes/support/fixtures.ts'

function event(name: string, changes: object = {}, runtime = 'claude-code'): HookEvent {
  const found = eventOf(payloadOf(runtime, name, { ...changes }), runtime)
  if (found === undefined) throw new Error(`${name} is no event`)
  return found
}

test('of more files, worktrees and facts than are remembered the oldest are forgotten (OB-06)', () => {
  const view = new SessionView(0)

  for (let i = 0; i <= MAX_SEEN_FILES; i += 1) view.files.set(`f${i}`, { stamp: '', ownUntilMs: 0 })
  for (let i = 0; i <= MAX_SEEN_WORKTREES; i += 1) view.heads.set(`w${i}`, i)
  for (let i = 0; i <= MAX_TOLD; i += 1) view.told.add(`t${i}`)

  expect([view.files.get('f0'), view.heads.get('w0'), view.told.has('t0')]).toEqual([
    undefined,
    undefined,
    false,
  ])
  expect(view.files.get(`f${MAX_SEEN_FILES}`)).toBeDefined()
  expect(view.heads.get(`w${MAX_SEEN_WORKTREES}`)).toBe(MAX_SEEN_WORKTREES)
  expect(view.told.has(`t${MAX_TOLD}`)).toBe(true)
})

test('of more sessions than are remembered the oldest is forgotten, and one that has ended at once (OB-06)', () => {
  const views = new SessionViews()
  const [first, last] = [views.of('s0', 0), views.of('s1', 0)]

  for (let i = 2; i <= MAX_VIEWS; i += 1) views.of(`s${i}`, 0)
  views.forget(`s${MAX_VIEWS}`)

  expect(views.of('s0', 0)).not.toBe(first)
  expect(last).toBeInstanceOf(SessionView)
})

test('a tool that may write anything counts for as long as it ran, one that names its files does not (OB-05)', () => {
  const view = new SessionView(0)

  view.heard(event('prompt'), 100_000)
  view.heard(event('after-edit'), 150_000)
  view.heard(event('after-tool', { duration_ms: 5_000 }), 200_000)

  expect(mayBeOwn(view.ownWork, 150_000)).toBe(false)
  expect(mayBeOwn(view.ownWork, 196_000)).toBe(true)
  expect(mayBeOwn(view.ownWork, 190_000)).toBe(false)
})

test('where a runtime does not say how long, it counts from the step it was called in (OB-05)', () => {
  const view = new SessionView(0)
  const shell = { duration_ms: undefined }

  view.heard(event('prompt'), 100_000)
  view.heard(event('after-tool', { tool_name: 'Read', ...shell }), 150_000)
  view.heard(event('after-tool', shell), 200_000)
  const codex = new SessionView(0)
  codex.heard(event('prompt', {}, 'codex'), 100_000)
  codex.heard(event('after-tool', shell, 'codex'), 200_000)

  expect(mayBeOwn(view.ownWork, 101_000)).toBe(true)
  expect(mayBeOwn(view.ownWork, 90_000)).toBe(false)
  expect(mayBeOwn(codex.ownWork, 101_000)).toBe(true)
})
