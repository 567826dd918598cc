/**
 * What is nested beyond any stack is refused with a code, wherever a program can hand it over (ACQ-40).
 */
import { describe, expect, test } from 'vitest'
import { connect, type AgentdClient } from '../../src/client/index.ts'
import { ed25519Key } from '../aee/vectors.ts'
import { startTestDaemon } from '../support/daemon.ts'
import { nestedObject, nestedText } from '../support/nested.ts'
import { meet } from './peers.ts'
import { makeEnvelope } from './envelope-peers.ts'

const DRAFT = { type: 'event', from: 'agent.a', to: 'bus.ops', intent: 'ops.x.y' } as const

describe.each([100, 1_000, 30_000])('%i levels', (levels) => {
  test.each<[string, (client: AgentdClient) => Promise<unknown>, object]>([
    [
      'a frame',
      (client) =>
        client.send({ kind: 'agent_advisory', payload: { ...nestedObject(levels), advisory_text: 'x' } }),
      { code: 'field-invalid', field: 'frame' },
    ],
    [
      'the arguments of a verb',
      (client) => client.verb('agent_advise', { text: 'x', ...nestedObject(levels) }),
      { code: 'field-invalid', field: 'body' },
    ],
    [
      'a record',
      (client) =>
        client.log({ v: '1', id: 'x', type: 'event', from: 'a', intent: 'x', ...nestedObject(levels) }),
      { code: expect.stringMatching(/^(?:envelope-malformed|field-invalid)$/) },
    ],
    [
      'an envelope',
      (client) => client.submitEnvelope({ ...makeEnvelope(), payload: nestedObject(levels) }),
      { code: 'envelope-malformed', field: 'envelope' },
    ],
    [
      "an envelope's text",
      (client) => client.submitEnvelope(nestedText(levels)),
      { code: 'envelope-malformed', field: 'envelope' },
    ],
    [
      'a draft',
      (client) => client.sendEnvelope({ ...DRAFT, payload: nestedObject(levels) }),
      { code: 'envelope-malformed', field: 'envelope' },
    ],
    [
      'a draft that is signed',
      (client) => client.sendEnvelope({ ...DRAFT, payload: nestedObject(levels) }, { sign: ed25519Key() }),
      { code: 'envelope-malformed', field: 'envelope' },
    ],
  ])('of %s are refused, and what comes behind goes through', async (_, send, refusal) => {
    await using daemon = await startTestDaemon()
    await using client = await connect({ socket: daemon.socket })

    await expect(send(client)).rejects.toMatchObject({ name: 'AgentdError', ...refusal })

    expect((await client.advise('behind it')).duplicate).toBe(false)
  })
})

test('a task that has no text is refused at once, before anything is waited for', async () => {
  await using peers = await meet()
  const { type: _, ...task } = DRAFT

  expect(() => peers.client.request({ ...task, payload: nestedObject() })).toThrow(
    expect.objectContaining({ code: 'envelope-malformed', field: 'envelope' }),
  )
})
