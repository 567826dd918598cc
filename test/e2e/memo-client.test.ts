/** A client that knows the memo alone, in a process of its own, and a daemon that it has never heard of. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { KIND_NAMES } from '../../src/protocol/frame/kinds.ts'
import { startTestDaemon } from '../support/daemon.ts'
import { request } from '../support/http.ts'
import { within } from '../support/within.ts'

const CLIENT = fileURLToPath(new URL('memo-client.mjs', import.meta.url))

const Report = z.object({
  answers: z.array(z.object({ recipient_count: z.int(), event_id: z.string() })),
  all: z.array(z.string()),
  queries: z.array(z.string()),
  again: z.array(z.string()),
  refusals: z.record(z.string(), z.string()),
})

test('emits each of the fifteen kinds, streams, filters, replays, and is refused in the words of the memo (memo §§3–10)', async () => {
  await using daemon = await startTestDaemon()
  const run = promisify(execFile)(process.execPath, [CLIENT, daemon.dir.file('agentd.json')])

  const { stdout } = await within(run, 'the client')

  const report = Report.parse(JSON.parse(stdout))
  expect(report.answers.map(({ recipient_count }) => recipient_count >= 1)).toEqual(
    KIND_NAMES.map(() => true),
  )
  expect(report.all.toSorted()).toEqual([...KIND_NAMES].toSorted())
  expect(report.queries).toEqual(['agent_query'])
  expect(report.again).toEqual([...report.all.slice(10), 'agent_advisory'])
  expect(report.refusals).toEqual({
    typo: 'filter-axis-unknown',
    kind: 'kind-unknown',
    field: 'field-unknown',
    sender: 'sender-identity-mismatch',
    scope: 'scope-unimplemented',
  })
  // It stood on the roster while it read, and nothing of it stays: nothing was registered.
  const left = async (): Promise<unknown> =>
    (await request(daemon.socket, '/v1/handles/~alice/roster')).body.total === 0 || left()
  await within(left(), 'its visits to end')
})
