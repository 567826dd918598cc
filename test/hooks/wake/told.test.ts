/** A handover that a wake brought with what it woke for is in the context then (HO-06, OP-25). */
import { expect, test } from 'vitest'
import { startTestDaemon } from '../../support/daemon.ts'
import { request } from '../../support/http.ts'
import { within } from '../../support/within.ts'
import {
  contextOf,
  createCheckout,
  rosterOf,
  say,
  startSession,
  type RuntimeSession,
} from '../../runtimes/support/sessions.ts'

/** An idle session that has just been woken by a question, while a handover waited for it; and the text it was woken with. */
async function openWoken() {
  const checkout = await createCheckout()
  const daemon = await startTestDaemon()
  const session: RuntimeSession = startSession(daemon.env, checkout.main)
  await session.hook('session-start')
  const [found] = await rosterOf(daemon.socket)
  const handover = { body: 'half of it is done', pointer_refs: [checkout.main] }
  await say(daemon.socket, 'agent_handover', handover)
  const wake = request(daemon.socket, `/v1/hooks/claude-code/wait?session=${session.id}`)
  await say(daemon.socket, 'agent_query', { text: 'which port?', recipient_scope: found.address })
  const { text } = await within(wake, 'the wake')
  return {
    session,
    text,
    async [Symbol.asyncDispose]() {
      await session[Symbol.asyncDispose]()
      await daemon[Symbol.asyncDispose]()
      await checkout[Symbol.asyncDispose]()
    },
  }
}

test('it is shown again neither by the prompt that the wake makes nor by a start of the same context (HO-06)', async () => {
  await using woken = await openWoken()
  const { session, text } = woken
  expect(text).toContain('handover: half of it is done')

  const prompt = (await session.hook('prompt', { prompt: text })).stdout
  await session.hook('turn-end')
  const resumed = (await session.hook('session-start', { source: 'resume' })).stdout

  expect(prompt + resumed).not.toContain('half of it')
})

test('it comes again with a start where nothing shows that the model has read it (OP-09)', async () => {
  await using woken = await openWoken()

  const next = contextOf(await woken.session.hook('session-start', { source: 'clear' }))

  expect(next).toContain('half of it is done')
})
