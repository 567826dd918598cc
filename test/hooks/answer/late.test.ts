/** A hook that was under way when its program was killed. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { processStartTime } from '../../../src/host/process/processes.ts'
import { openDesk, type TestDesk } from '../desk-in-process.ts'

const AT = { session_id: 's1' }

async function startProgram(): Promise<ChildProcess & { readonly pid: number }> {
  const program = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6)'])
  await once(program, 'spawn')
  const { pid } = program
  if (pid === undefined) throw new Error('a process that was spawned has a number')
  return Object.assign(program, { pid })
}

/** A session whose program was killed, with a message that waits. @returns what became of the message */
async function openKilled(desk: TestDesk): Promise<() => unknown> {
  const program = await startProgram()
  const { pid } = program
  const began = processStartTime(pid)
  await desk.event('codex', 'session-start', AT, { pid, peerPid: pid })
  await desk.event('codex', 'prompt', AT)
  const recipient_scope = desk.desk.hooked('codex', 's1')?.address
  const said = await desk.say('agent_advise', { text: 'main has moved', recipient_scope })
  program.kill('SIGKILL')
  await once(program, 'exit')
  await laterThan(began)
  const { receipts } = desk.broker
  return () => receipts.describe(receipts.require(said.frame_id)).receipts[0]?.state
}

/** Ends when a program that is started now began later, by the kernel's clock of 10 ms a tick. */
async function laterThan(began: string | undefined): Promise<void> {
  for (let isLater = false; !isLater;) {
    const probe = await startProgram()
    isLater = processStartTime(probe.pid) !== began
    probe.kill()
  }
}

/** It is started again. @returns what it is told with its start and its first prompt */
async function comeBack(desk: TestDesk): Promise<string> {
  const program = await startProgram()
  const asker = { pid: program.pid, peerPid: program.pid }
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
  const program = await startProgram()

  const told = await desk.event('codex', 'after-tool', AT, { pid: program.pid })

  expect(told).toContain('main has moved')
  program.kill()
})
