/** A wake that crosses with what a person types: what it handed over is proved by its own turn alone (OP-09, OP-20). */
import { expect, test } from 'vitest'
import { openDesk, type TestDesk } from '../desk-in-process.ts'

const AT = { session_id: 's1' }

/** How long an answer to a waiter is waited for, in milliseconds. */
const WAKE_MS = 5_000

interface Woken {
  readonly desk: TestDesk
  /** What the waiter printed. */
  readonly text: string
  readonly stateOf: () => unknown
}

/** An idle session of Claude Code whose waiter has just been answered with a question. */
async function openWoken(): Promise<Woken> {
  const desk = await openDesk()
  await desk.event('claude-code', 'session-start', AT)
  const answered = new Promise<string>((resolve, reject) => {
    setTimeout(() => reject(new Error('nobody woke it')), WAKE_MS).unref()
    desk.desk.wait('claude-code', AT.session_id, (reply) => {
      reply?.written()
      resolve(reply?.text ?? '')
    })
  })
  const recipient_scope = desk.desk.hooked('claude-code', AT.session_id)?.address
  const said = await desk.say('agent_query', { text: 'which port?', recipient_scope })
  const text = await answered
  const { receipts } = desk.broker
  return { desk, text, stateOf: () => receipts.describe(receipts.require(said.frame_id)).receipts[0]?.state }
}

test('the turn that a wake began, with its text as the prompt, proves what it handed over', async () => {
  const { desk, text, stateOf } = await openWoken()
  await using _ = desk
  const prompt = `<task-notification>\n${text}</task-notification>`

  expect(await desk.event('claude-code', 'prompt', { ...AT, prompt })).not.toContain('which port?')
  expect(stateOf()).toBe('handed')
  await desk.event('claude-code', 'turn-end', AT)

  expect(stateOf()).toBe('seen')
})

test('a prompt without it brings it again, and that turn proves what the prompt brought', async () => {
  const { desk, stateOf } = await openWoken()
  await using _ = desk

  const context = await desk.event('claude-code', 'prompt', { ...AT, prompt: 'go on' })
  expect(context).toContain('perhaps shown before')
  expect(context).toContain('which port?')
  expect(stateOf()).toBe('handed')
  await desk.event('claude-code', 'turn-end', AT)

  expect(stateOf()).toBe('seen')
})

test('a wake that is written behind a prompt is proved by nothing of that turn, whose end brings it again', async () => {
  const { desk, stateOf } = await openWoken()
  await using _ = desk

  await desk.event('claude-code', 'after-tool', AT)
  expect(stateOf()).toBe('handed')
  const continuation = await desk.event('claude-code', 'turn-end', AT)

  expect(continuation).toContain('which port?')
  expect(stateOf()).toBe('handed')
  await desk.event('claude-code', 'turn-end', { ...AT, stop_hook_active: true })
  expect(stateOf()).toBe('seen')
})
