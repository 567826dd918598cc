/**
 * Knocking at doors, with time in the test's hand: how often, how long, for what, and whom it does not concern (OP-07).
 */
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { FakeClock } from '../../support/fake-clock.ts'
import { within } from '../../support/within.ts'
import { openDesk, type TestDesk } from '../desk-in-process.ts'
import { listenAt } from './inbox-socket.ts'

/** As fast as it goes: tests do not wait for people. */
const FAST = { seenMs: 150, queueSeenMs: 150 }

/** A session of Claude Code with an inbox socket. */
function enter(desk: TestDesk, id: string, path: string): Promise<string> {
  return desk.event('claude-code', 'session-start', { session_id: id }, door(path))
}

function door(path: string) {
  return { env: { CLAUDE_CODE_MESSAGING_SOCKET: path } }
}

function prompt(desk: TestDesk, id: string): Promise<string> {
  return desk.event('claude-code', 'prompt', { session_id: id, prompt_id: `p-${Math.random()}` })
}

/** Lines about wakes that are over. */
function wakes(desk: TestDesk) {
  return desk.lines.filter(({ what }) => what === 'wake')
}

/** Turns of the loop, until something is so. */
async function until(isSo: () => boolean, what: string): Promise<void> {
  await within(
    (async () => {
      while (!isSo()) await new Promise((resolve) => setImmediate(resolve))
    })(),
    what,
  )
}

test('a session is woken once more when nobody looks, and is then left alone', async () => {
  await using desk = await openDesk({ rhythm: FAST })
  await using inbox = await listenAt(desk.dir.file('inbox.sock'))
  await enter(desk, 's1', inbox.path)
  await desk.ask('s1', 'unheard')
  await inbox.changes.until(() => inbox.lines[1], 'the second try')
  await desk.changes.until(() => wakes(desk)[1], 'its end')
  await desk.ask('s1', 'another')
  await inbox.changes.until(() => inbox.lines[3], 'two tries for the other')
  await desk.changes.until(() => wakes(desk)[3], 'their end')

  expect(inbox.lines[1]).toContain(', again]')
  expect(inbox.lines[2]).toContain('One message waits')
  expect(new Set(inbox.lines).size).toBe(4)
  expect(wakes(desk)).toHaveLength(4)
  for (const line of wakes(desk)) expect(line).toMatchObject({ isTaken: true, isSeen: false })
  expect(await prompt(desk, 's1')).toContain('unheard')
  desk.reopen()
  expect(desk.stateOf('s1').wakes).toHaveLength(2)
})

test('a wake that was heard is not repeated, and is over with the event that shows it', async () => {
  // With a clock that stands still, nothing but the event can end it.
  await using desk = await openDesk({ clock: new FakeClock(Date.now()) })
  const clock = desk.clock instanceof FakeClock ? desk.clock : new FakeClock()
  await using inbox = await listenAt(desk.dir.file('inbox.sock'))
  await enter(desk, 's1', inbox.path)
  await desk.ask('s1')
  clock.advance(0)
  await inbox.changes.until(() => inbox.lines[0], 'the wake')
  expect(await prompt(desk, 's1')).toContain('which port?')

  await desk.changes.until(() => wakes(desk)[0], 'its end')

  expect(wakes(desk)).toMatchObject([{ driver: 'claude-inbox', tries: 1, isTaken: true, isSeen: true }])
  expect(inbox.lines).toHaveLength(1)
})

test('a session that was ended while it was woken is not woken again: nothing waits for it', async () => {
  await using desk = await openDesk({ rhythm: FAST })
  await using inbox = await listenAt(desk.dir.file('inbox.sock'))
  await enter(desk, 's1', inbox.path)
  await desk.ask('s1')
  await inbox.changes.until(() => inbox.lines[0], 'the wake')
  const session = desk.broker.sessions.find('~alice/cc-agent@s1')
  if (session !== undefined) desk.broker.sessions.close(session)

  await desk.changes.until(() => wakes(desk)[0], 'its end')

  expect(wakes(desk)).toHaveLength(1)
  expect(inbox.lines).toHaveLength(1)
})

test('a session that carries another one on is woken at its own door, and the other no more', async () => {
  await using desk = await openDesk({ rhythm: FAST })
  await using first = await listenAt(desk.dir.file('first.sock'))
  await using second = await listenAt(desk.dir.file('second.sock'))
  const start = (id: string, path: string, source: string) => {
    const payload = { session_id: id, source }
    return desk.event('claude-code', 'session-start', payload, { ...door(path), pid: process.pid })
  }
  await start('s1', first.path, 'startup')
  await desk.event('claude-code', 'session-end', { session_id: 's1', reason: 'clear' })
  await start('s2', second.path, 'clear')
  await desk.ask('s2')

  await second.changes.until(() => second.lines[0], 'the wake')

  expect(first.came()).toBe(0)
})

test('a slow door of one session delays no other one, and no event of its own session (OP-07)', async () => {
  await using desk = await openDesk()
  await using slow = await listenAt(desk.dir.file('slow.sock'), { isDeaf: true })
  await using quick = await listenAt(desk.dir.file('quick.sock'))
  await enter(desk, 'slow', slow.path)
  await enter(desk, 'quick', quick.path)
  await desk.ask('slow')
  await slow.changes.until(() => slow.lines[0], 'the slow one')
  await desk.ask('quick')

  await quick.changes.until(() => quick.lines[0], 'the quick one')

  expect(slow.open()).toBe(1)
  expect(await prompt(desk, 'slow')).toContain('which port?')
  expect(slow.open()).toBe(1)
})

test('a backlog that may wait delays no wake, and does not hide what it is for (OP-26)', async () => {
  await using desk = await openDesk({ clock: new FakeClock(Date.now()) })
  const clock = desk.clock instanceof FakeClock ? desk.clock : new FakeClock()
  await using inbox = await listenAt(desk.dir.file('inbox.sock'))
  await enter(desk, 's1', inbox.path)
  for (let i = 0; i < 300; i += 1)
    await desk.say('agent_advise', { text: `fyi ${i}`, recipient_scope: '~alice/cc-agent@s1' })
  clock.advance(0)
  expect(inbox.came()).toBe(0)
  await desk.ask('s1')
  clock.advance(0)

  await inbox.changes.until(() => inbox.lines[0], 'the wake')

  expect(inbox.lines[0]).toContain('One message waits')
})

test('whoever waits behind a backlog is told what is urgent', async () => {
  await using desk = await openDesk()
  await desk.event('claude-code', 'session-start', { session_id: 's1' })
  for (let i = 0; i < 300; i += 1)
    await desk.say('agent_advise', { text: `fyi ${i}`, recipient_scope: '~alice/cc-agent@s1' })
  const waiting = new Promise<string | undefined>((resolve) => {
    desk.desk.wait('claude-code', 's1', (reply) => resolve(reply?.text))
  })
  await desk.ask('s1')

  expect(await within(waiting, 'the wake')).toContain('which port?')
})

test('Codex, which looks at its queue every ten seconds, has twice as long before it is woken again', async () => {
  const clock = new FakeClock(Date.now())
  await using desk = await openDesk({ clock })
  const log = desk.dir.file('codex.log')
  const program = desk.dir.file('codex')
  writeFileSync(program, `#!/bin/sh\necho woken >> ${log}\n`)
  chmodSync(program, 0o755)
  await desk.event('codex', 'session-start', { session_id: 's1' }, { pid: process.pid, program })
  const tries = (): number => (existsSync(log) ? readFileSync(log, 'utf8').split('woken').length - 1 : 0)
  await desk.ask('s1', 'which port?', 'codex')
  clock.advance(0)
  await until(() => tries() === 1, 'the first try')
  let waitedMs = 0
  await until(() => {
    if (tries() === 1) waitedMs += 100
    clock.advance(100)
    return tries() === 2
  }, 'the second try')

  expect(waitedMs).toBeGreaterThanOrEqual(20_000)
})

test.for([
  ['a program of another name', { codexPath: '/bin/sh' }],
  ['a relative path', { codexPath: 'codex' }],
  ['a program with a NUL in its path', { codexPath: '/tmp/\0/codex' }],
  ['a server elsewhere', { openCodeUrl: 'http://example.org/' }],
  ['no address', { openCodeUrl: 'nonsense' }],
  ['a socket that is not there', { claudeSocket: '/nonexistent/inbox.sock' }],
  ['a socket with a NUL in its path', { claudeSocket: '/tmp/\0inbox.sock' }],
  ['a socket at a relative path', { claudeSocket: 'inbox.sock' }],
] as const)('%s is not knocked at, and the message waits', async ([, doors]) => {
  await using desk = await openDesk({ rhythm: FAST })
  const runtime = 'claudeSocket' in doors ? 'claude-code' : 'codexPath' in doors ? 'codex' : 'opencode'
  await desk.event(runtime, 'session-start', { session_id: 's1' })
  desk.remember('s1', { doors }, runtime)
  await desk.ask('s1', 'which port?', runtime)

  await desk.changes.until(
    () => wakes(desk).find(({ tries, error }) => tries === 2 || error !== undefined),
    'the tries',
  )

  expect(wakes(desk).some(({ isTaken }) => isTaken === true)).toBe(false)
  expect(await desk.event(runtime, 'prompt', { session_id: 's1' })).toContain('which port?')
})

test('a session is woken no more often than the person has set, and when it may be again', async () => {
  const clock = new FakeClock(Date.now())
  await using desk = await openDesk({ clock, settings: { wakes_per_10_min: 1 } })
  await using inbox = await listenAt(desk.dir.file('inbox.sock'))
  await enter(desk, 's1', inbox.path)
  const wake = async (text: string): Promise<string> => {
    await desk.ask('s1', text)
    clock.advance(0)
    return 'asked'
  }
  await wake('first')
  await inbox.changes.until(() => inbox.lines[0], 'the wake')
  await prompt(desk, 's1')
  await desk.event('claude-code', 'turn-end', { session_id: 's1' })
  await desk.changes.until(() => wakes(desk)[0], 'its end')
  await wake('second')
  clock.advance(590_000)
  expect(inbox.came()).toBe(1)
  clock.advance(20_000)

  await inbox.changes.until(() => inbox.lines[1], 'the wake that was over the budget')
})

test('a turn of which nothing is heard is taken to be over after two minutes, and not before', async () => {
  const clock = new FakeClock(Date.now())
  await using desk = await openDesk({ clock })
  await using inbox = await listenAt(desk.dir.file('inbox.sock'))
  await enter(desk, 's1', inbox.path)
  await prompt(desk, 's1')
  await desk.ask('s1')
  clock.advance(119_000)
  expect(inbox.came()).toBe(0)
  clock.advance(1_000)

  await inbox.changes.until(() => inbox.lines[0], 'the wake')
})

test('the two hooks of a start run at once: whoever waits first is not sent away, but not for ever either', async () => {
  const clock = new FakeClock(Date.now())
  await using desk = await openDesk({ clock })
  const told: (string | undefined)[] = []
  desk.desk.wait('claude-code', 's1', (reply) => told.push(reply?.text))
  desk.desk.wait('claude-code', 'never', () => told.push('sent away'))
  clock.advance(9_000)
  await desk.event('claude-code', 'session-start', { session_id: 's1' })
  expect(told).toEqual([])
  expect(desk.broker.sessions.find('~alice/cc-agent@s1')?.facts.delivery?.idle).toBe('async-rewake')
  clock.advance(1_000)
  expect(told).toEqual(['sent away'])
  await desk.ask('s1')
  clock.advance(0)

  expect(told[1]).toContain('which port?')
})

test('whoever waits for a program that was killed is sent away, and told nothing of what waits (OP-27)', async () => {
  const clock = new FakeClock(Date.now())
  await using desk = await openDesk({ clock })
  await desk.event('claude-code', 'session-start', { session_id: 's1' }, { pid: process.pid })
  desk.remember('s1', { pidStart: 'of another process' })
  const told: (string | undefined)[] = []
  desk.desk.wait('claude-code', 's1', (reply) => told.push(reply?.text))
  expect(told).toEqual([])
  await desk.ask('s1')
  clock.advance(0)
  expect(told).toEqual([undefined])
  desk.desk.wait('claude-code', 's1', (reply) => told.push(reply?.text))
  clock.advance(60_000)

  expect(told).toEqual([undefined, undefined])
})

test('whoever waits for a session that was ended is sent away with the next question to anybody', async () => {
  const clock = new FakeClock(Date.now())
  await using desk = await openDesk({ clock })
  for (const id of ['s1', 's2']) await desk.event('claude-code', 'session-start', { session_id: id })
  const told: unknown[] = []
  desk.desk.wait('claude-code', 's1', (reply) => told.push(reply))
  const session = desk.broker.sessions.find('~alice/cc-agent@s1')
  if (session !== undefined) desk.broker.sessions.close(session)
  await desk.ask('s2')
  clock.advance(0)

  expect(told).toEqual([undefined])
})

test('a desk that is closed knocks no more, and tells nobody that nothing is left to wait for', async () => {
  await using desk = await openDesk()
  await using inbox = await listenAt(desk.dir.file('inbox.sock'))
  await enter(desk, 's1', inbox.path)
  const told: unknown[] = []
  desk.desk.wait('claude-code', 's1', (reply) => told.push(reply))
  desk.desk.close()
  desk.desk.wait('claude-code', 's1', (reply) => told.push(reply))
  await desk.ask('s1')
  await new Promise((resolve) => setImmediate(resolve))

  expect(told).toEqual([])
  expect(inbox.came()).toBe(0)
})
