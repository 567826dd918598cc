/** A hook that was under way when its program was killed. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { openDesk, type TestDesk } from '../desk-in-process.ts'

const AT = { session_id: 's1' }

/** A session whose program was killed, with a message that waits. @returns what became of the message */
async function openKilled(desk: TestDesk): Promise<() => unknown> {
  const program = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6)'])
  await once(program, 'spawn')
  const pid = program.pid ?? 0
  await desk.event('codex', 'session-start', AT, { pid, peerPid: pid })
  await desk.event('codex', 'prompt', AT)
  const recipient_scope = desk.desk.hooked('codex', 's1')?.address
  const said = await desk.say('agent_advise', { text: 'main has moved', recipient_scope })
  program.kill('SIGKILL')
  await once(program, 'exit')
  const { receipts } = desk.broker
  return () => receipts.describe(receipts.require(said.frame_id)).receipts[0]?.state
}

/** It is started again. @returns what it is told with its start and its first prompt */
async function comeBack(desk: TestDesk): Promise<string> {
  const program = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6)'])
  await once(program, 'spawn')
  const asker = { pid: program.pid ?? 0, peerPid: program.pid ?? 0 }
  const told = await desk.event('codex', 'session-start', AT, asker)
  const more = await desk.event('codex', 'prompt', { ...AT, turn_id: 'later' }, asker)
  program.kill()
  return told + more
}

test('brings nobody back and is handed nothing, once the session is known to be dead (OP-03, OP-27)', async () => {
  await using desk = await openDesk()
  const stateOf = await openKilled(desk)
  expect(desk.broker.sessions.present()).toEqual([])

  expect(await desk.event('codex', 'after-tool', AT)).toBe('')

  expect(desk.broker.sessions.present()).toEqual([])
  expect(stateOf()).toBe('queued')
  expect(await comeBack(desk)).toContain('main has moved')
})

test('was handed what waits again as soon as somebody asks, where nobody had looked yet (OP-09)', async () => {
  await using desk = await openDesk()
  const stateOf = await openKilled(desk)

  expect(await desk.event('codex', 'after-tool', AT)).toContain('main has moved')

  expect(stateOf()).toBe('queued')
  expect(await comeBack(desk)).toContain('perhaps shown before: main has moved')
})

test('is served where a program that was started since asks, though its start was never heard of (OP-03)', async () => {
  await using desk = await openDesk()
  await openKilled(desk)
  expect(desk.broker.sessions.present()).toEqual([])
  const program = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6)'])
  await once(program, 'spawn')

  const told = await desk.event('codex', 'after-tool', AT, { pid: program.pid ?? 0 })

  expect(told).toContain('main has moved')
  program.kill()
})
