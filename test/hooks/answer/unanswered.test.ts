/** What proves nothing: an event that says of itself that the model has yet to answer, as OpenCode's behind an abort. */
import { expect, test } from 'vitest'
import { openDesk, type TestDesk } from '../desk-in-process.ts'

const AT = { session_id: 's1' }

/** A desk with a session whose prompt carries a message. @returns `stateOf`, what became of the message */
async function openTold(): Promise<{ readonly desk: TestDesk; readonly stateOf: () => unknown }> {
  const desk = await openDesk()
  await desk.event('opencode', 'session-start', AT)
  const recipient_scope = desk.desk.hooked('opencode', AT.session_id)?.address
  const said = await desk.say('agent_advise', { text: 'main has moved', recipient_scope })
  expect(await desk.event('opencode', 'prompt', AT)).toContain('advisory: main has moved')
  const { receipts } = desk.broker
  return { desk, stateOf: () => receipts.describe(receipts.require(said.frame_id)).receipts[0]?.state }
}

test('an end of a turn that the model has not answered proves nothing, and the next prompt brings it again (OP-09, OP-20)', async () => {
  const { desk, stateOf } = await openTold()
  await using _ = desk

  await desk.event('opencode', 'turn-end', { ...AT, unanswered: true })
  await desk.event('opencode', 'turn-end', { ...AT, unanswered: true })
  expect(stateOf()).toBe('handed')

  expect(await desk.event('opencode', 'prompt', AT)).toContain('perhaps shown before: main has moved')
  await desk.event('opencode', 'turn-end', AT)
  expect(stateOf()).toBe('seen')
})

test('a tool of the step that the prompt came in proves nothing, and one of the next step does (OP-09)', async () => {
  const { desk, stateOf } = await openTold()
  await using _ = desk

  await desk.event('opencode', 'before-tool', { ...AT, unanswered: true })
  await desk.event('opencode', 'after-tool', { ...AT, unanswered: true })
  expect(stateOf()).toBe('handed')

  await desk.event('opencode', 'after-tool', AT)
  expect(stateOf()).toBe('seen')
})
