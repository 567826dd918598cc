/**
 * A morning of five sessions: three needs, two collisions, one who waits at its own prompt. What the pictures show.
 */
import type { FakeSeat } from './fake-seat.ts'
import { advisory, decisionFrame, iso, need, session, snapshot } from './wire.ts'

const PLACE = { repository: '/home/alice/shop/.git', worktree: '/home/alice/shop' }

const activity = (state: string, sinceMs: number, more: object = {}) => ({
  activity: { state, reason: null, text: null, since: iso(sinceMs), ...more },
})

/** What it begins with. @param nowMs - wall time: ages are counted from it */
export function busyMorning(nowMs: number) {
  const sessions = [
    session('~alice/cc-opus@s1', {
      name: 'api-refactor',
      title: 'API refactor',
      branch: 'refactor',
      ...PLACE,
      ...activity('working', nowMs - 30_000),
    }),
    session('~alice/codex@k2', {
      name: 'flaky-tests',
      title: 'flaky tests',
      branch: 'fix/flaky',
      ...PLACE,
      ...activity('waiting', nowMs - 60_000, { reason: 'permission', text: 'run "npm test"' }),
    }),
    session('~alice/cursor@w7', {
      name: 'docs',
      title: 'docs',
      branch: 'docs',
      repository: PLACE.repository,
      worktree: '/home/alice/shop-docs',
      ...activity('working', nowMs - 5_000),
    }),
    session('~alice/gemini@g1', {
      name: 'gemini-otter',
      branch: 'main',
      ...PLACE,
      ...activity('idle', nowMs - 480_000),
    }),
    session('~alice/cc-opus@s9', {
      name: 'mobile',
      branch: 'mobile',
      ...PLACE,
      ...activity('working', nowMs - 5_000),
    }),
    session('~alice/human@p1', { tool: 'human' }),
  ]
  const from = { ...PLACE, present: true }
  const needs = [
    need('d1', {
      type: 'decision',
      event_id: 'e1-2',
      asked_at: iso(nowMs - 120_000),
      until: iso(nowMs + 21 * 3_600_000),
      from: {
        ...from,
        address: '~alice/cc-opus@s1',
        name: 'api-refactor',
        title: 'API refactor',
        branch: 'refactor',
      },
      text: 'The migration drops a column that mobile still reads',
      frame: decisionFrame(),
    }),
    need('q1', {
      event_id: 'e1-3',
      asked_at: iso(nowMs - 20_000),
      until: iso(nowMs + 41_000),
      from: {
        ...from,
        address: '~alice/codex@k2',
        name: 'flaky-tests',
        title: 'flaky tests',
        branch: 'fix/flaky',
      },
      text: 'May I force-push fix/flaky after the rebase?',
    }),
    need('a1', {
      type: 'approval',
      event_id: 'e1-4',
      asked_at: iso(nowMs - 10_000),
      until: null,
      from: { ...from, address: null, title: null, branch: null, repository: null },
      text: 'Deploy shop 4.2 to staging',
      envelope: {
        v: '1',
        id: 'ask-00001',
        type: 'task',
        from: 'agent.auditor',
        to: 'human.alice',
        intent: 'approval.request',
        corr: 'corr-0001',
        payload: {
          task: {
            id: 'task-0001',
            intent: 'ops.deploy',
            from: 'agent.api',
            hash: `sha-256:${'ab'.repeat(32)}`,
          },
          summary: 'Deploy shop 4.2 to staging',
        },
      },
    }),
    need('any1', {
      addressed: 'anyone',
      event_id: 'e1-5',
      text: 'Does anybody know why lint is slow?',
      until: null,
    }),
  ]
  return { snapshot: snapshot({ event_id: 'e1-0', sessions, needs }) }
}

/** What passes on it. */
export function passingOf(nowMs: number): readonly unknown[] {
  return [
    advisory('~alice/cc-opus@s1', ['src/auth.ts'], {
      atMs: nowMs - 40_000,
      text: 'rewriting the token refresh',
    }),
    advisory('~alice/cc-opus@s9', ['src/auth.ts'], { atMs: nowMs - 12_000 }),
    advisory('~alice/cursor@w7', ['README.md'], { atMs: nowMs - 11_000 }),
    advisory('~alice/cc-opus@s1', ['README.md'], { atMs: nowMs - 10_000 }),
  ]
}

/** Has a seat begin with it. @param nowMs - wall time: ages on the page are counted from it */
export function prepareBusyMorning(seat: FakeSeat, nowMs: number): void {
  seat.snapshot = busyMorning(nowMs).snapshot
}

/** Has a seat say what passes on it. */
export function playBusyMorning(seat: FakeSeat, nowMs: number): void {
  for (const [index, item] of passingOf(nowMs).entries()) seat.say('passed', item, `e1-${index + 10}`)
}
