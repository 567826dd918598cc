/** Which advisories stand for one another in a drain (docs/http.md §7, HD-07). */
import { expect, test } from 'vitest'
import { MAX_TOPIC_FILES, topicOf } from '../../../src/broker/inbox/coalesce.ts'
import { Workbench } from '../workbench.ts'
import { validPayload } from '../../support/frames.ts'

function topicWith(files: readonly string[]): string | undefined {
  const bench = new Workbench()
  const { event_id } = bench.publish({
    frame: { payload: { ...validPayload('agent_advisory'), file_refs: [...files] } },
  })
  const retained = bench.ring.get(Number(event_id.split('-')[1]))
  if (retained === undefined) throw new Error('the advisory is not retained')
  return topicOf(retained)
}

test('advisories about the same files have one topic, in whatever order they name them (HD-07)', () => {
  expect(topicWith(['b', 'a'])).toBe(topicWith(['a', 'b']))
  expect(topicWith(['a'])).not.toBe(topicWith(['a', 'b']))
})

test('an advisory of more files than are compared stands for itself (ACQ-14, HD-07)', () => {
  const files = Array.from({ length: MAX_TOPIC_FILES + 1 }, (_, i) => `f${i}`)

  expect(topicWith(files.slice(1))).toBeDefined()
  expect(topicWith(files)).toBeUndefined()
})
