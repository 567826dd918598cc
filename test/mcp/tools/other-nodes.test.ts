/** What the tools say of other nodes that the daemon is linked with (docs/http.md §5). */
import { expect, test } from 'vitest'
import { isUnheard, reachedFacts } from '../../../src/mcp/tools/reached.ts'

const NOBODY = { recipientCount: 0, queuedCount: 0, peopleCount: 0 }

test('a message says how many it names on other machines and who is away, and nothing of them without a link (FED-01, FED-50)', () => {
  const remote = { sessions: 1, nodes: ['devbox'], away: ['ci'] }

  expect(reachedFacts({ ...NOBODY, remote })).toMatchObject({ on_other_machines: 1, away: ['ci'] })
  expect(reachedFacts({ ...NOBODY, remote: { ...remote, away: [] } })['away']).toBeUndefined()
  expect(JSON.parse(JSON.stringify(reachedFacts(NOBODY)))).toEqual({ reached: 0, queued: 0 })
})

test('what names somebody on another machine is not unheard (FED-53)', () => {
  expect(isUnheard(NOBODY)).toBe(true)
  expect(isUnheard({ ...NOBODY, remote: { sessions: 0, nodes: [], away: ['ci'] } })).toBe(true)
  expect(isUnheard({ ...NOBODY, remote: { sessions: 1, nodes: ['devbox'], away: [] } })).toBe(false)
})
