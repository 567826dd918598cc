/** A stream as the memo has it: unnamed events of frames, and nothing else that a reader would be told (ACQ-20). */
import * as fc from 'fast-check'
import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { expect, test } from 'vitest'
import * as sse from '../../../src/protocol/sse/encoder.ts'
import { toMemoProfile } from '../../../src/protocol/sse/memo-profile.ts'
import { arbitraryFrame } from '../../support/frames.ts'

function read(text: string): { events: EventSourceMessage[]; comments: string[] } {
  const [events, comments]: [EventSourceMessage[], string[]] = [[], []]
  const parser = createParser({
    onEvent: (event) => void events.push(event),
    onComment: (comment) => void comments.push(comment),
  })
  parser.feed(text)
  return { events, comments }
}

test('has every frame with its id and without a name, whatever stands in it (AC-141)', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(arbitraryFrame(), fc.string()), { maxLength: 5 }), (frames) => {
      const texts = frames.map(([frame, odd]) =>
        JSON.stringify({ ...frame, odd: `event: agentd_gap\n${odd}` }),
      )
      const named = texts.map((text, i) => sse.encodeFrameEvent(`e-${i}`, text)).join('')

      const { events } = read(toMemoProfile(named))

      expect(events).toEqual(texts.map((data, i) => ({ id: `e-${i}`, event: undefined, data })))
    }),
  )
})

test('tells gaps and the end in comments, and leaves ids, keep-alives and the delay to come back as they are', () => {
  const gap = { reason: 'trimmed', requested: 'e-1', oldest: 'e-5', missed: 3 } as const
  const named =
    sse.encodePreamble('e-9') +
    sse.encodeGap(gap) +
    sse.encodeCursor('e-4') +
    sse.encodeKeepAlive('e-9') +
    sse.encodeBye('shutdown', 2_500)

  const { events, comments } = read(toMemoProfile(named))

  expect(events).toEqual([])
  expect(comments).toEqual([
    'agentd e-9',
    `agentd_gap ${JSON.stringify(gap)}`,
    'keep-alive',
    'agentd_bye {"reason":"shutdown"}',
  ])
  expect(toMemoProfile(named)).toContain('\nid: e-4\n\n')
  expect(toMemoProfile(named)).toContain('retry: 2500\n')
})
