/**
 * What is too large for the hub of a link: its sender hears of it with the answer (FED-18).
 */
import { expect, test } from 'vitest'
import { validEnvelope } from '../support/envelopes.ts'
import { validFrame, validPayload } from '../support/frames.ts'
import { LinkedNode, type NodeOptions } from './linked-node.ts'
import { RealmOfAlice } from './realm-of-alice.ts'

async function start(options: NodeOptions = {}): Promise<LinkedNode> {
  return LinkedNode.start(new RealmOfAlice('laptop', 'devbox'), 'laptop', options)
}

/** As a bridge says it. */
async function become(node: LinkedNode, state: string, max_payload?: number): Promise<void> {
  const said = { state, ...(max_payload !== undefined && { max_payload }) }
  await node.ask('/v1/link/condition', { json: said })
}

/** A frame with so many characters of text. */
function frameOf(length: number): unknown {
  const payload = { ...validPayload('agent_advisory'), advisory_text: 'x'.repeat(length) }
  return validFrame('agent_advisory', { payload })
}

/** The codes of an answer's warnings; undefined where it has none. */
async function warned(node: LinkedNode, length: number): Promise<readonly string[] | undefined> {
  const { body } = await node.anybody('/v1/frames', { json: frameOf(length) })
  return body.warnings?.map(({ code }: { code: string }) => code)
}

/** Octets of the record of the last frame, with its break. */
async function recordOctets(node: LinkedNode, count: number): Promise<number> {
  using feed = await node.feed()
  const line = (await feed.having('e', count)).at(-1)
  return Buffer.byteLength(String(line?.['line'])) + 1
}

test('the answer to what no message of the hub holds says so, and of one octet less it says nothing (FED-18)', async () => {
  await using laptop = await start()
  await warned(laptop, 2_000)
  const beside = (await recordOctets(laptop, 1)) - 2_000
  await become(laptop, 'up', 2_000 + beside + 4_096)

  // Places have one digit each.
  expect(await warned(laptop, 2_000)).toBeUndefined()
  expect(await warned(laptop, 2_001)).toEqual(['envelope-too-large'])
})

test('a verb is answered so too, and the words name the link and its bound (FED-18)', async () => {
  await using laptop = await start()
  await become(laptop, 'up', 5_000)
  const advised = await laptop.anybody('/v1/verbs/agent_advise', { json: { text: 'x'.repeat(2_000) } })

  expect(advised.body.warnings).toEqual([
    {
      code: 'envelope-too-large',
      message:
        'This stays on this machine: the hub of the link "home" takes 5000 octets at once; say less, or raise its max_payload.',
    },
  ])
})

test('an envelope is answered so too (FED-18)', async () => {
  await using laptop = await start({ allow: { bus: ['bus.*'] }, boundary: ['*'] })
  await become(laptop, 'up', 5_000)
  const answers = await Promise.all(
    ['x'.repeat(4_000), 'x'].map((text) =>
      laptop.anybody('/v1/envelopes', {
        json: validEnvelope({ to: 'bus.ops', type: 'event', payload: { text } }),
      }),
    ),
  )

  const codes = answers.map(({ body }) => body.warnings.map(({ code }: { code: string }) => code))
  expect(codes).toEqual([['envelope-too-large'], []])
})

test('of a hub that is away, has not said how much it takes, or to which nothing leaves, nothing is said (FED-18)', async () => {
  await using laptop = await start()
  await become(laptop, 'up')
  expect(await warned(laptop, 2_000)).toBeUndefined()

  await become(laptop, 'away', 5_000)
  expect(await warned(laptop, 2_000)).toBeUndefined()

  await become(laptop, 'up')
  expect(await warned(laptop, 2_000)).toEqual(['envelope-too-large'])

  laptop.allow = { ...laptop.allow, kinds: ['agent_query'] }
  expect(await warned(laptop, 2_000)).toBeUndefined()
})

test('what a hub takes at once stands among what is told of its link (FED-10)', async () => {
  await using laptop = await start()
  const { body: before } = await laptop.anybody('/v1/links')
  await become(laptop, 'up', 65_536)
  const { body: after } = await laptop.anybody('/v1/links')

  expect(before.links[0].max_payload).toBeNull()
  expect(after.links[0].max_payload).toBe(65_536)
})
