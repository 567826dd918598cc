/**
 * What a daemon really answers, before the contract that it serves: every operation, every status and media type and event that
 * the OpenAPI document names, and the common refusals of each (PD-15).
 */
import { expect, test } from 'vitest'
import { startTestDaemon } from '../../support/daemon.ts'
import { validFrame } from '../../support/frames.ts'
import { request } from '../../support/http.ts'
import { AnswerContract, kindOf, type Answer } from './contract.ts'
import { AnswerJournal, type Question } from './journal.ts'
import * as scenes from './scenes.ts'
import * as streaming from './streams.ts'
import type { Operation } from '../documented.ts'

/** For a whole day on a bus, on a machine with other things to do. */
const DAY_MS = 60_000

/** Paths of links are none where there is no link; what is behind them is held by test/server/link (FED-01). */
function isOfLinks({ path }: Pick<Operation, 'path'>): boolean {
  return path.startsWith('/v1/link')
}

async function contractOf(socket: string): Promise<AnswerContract> {
  return new AnswerContract((await request(socket, '/v1/openapi.json')).body)
}

test(
  'whatever a daemon answers is what its contract says, with no member more, and of every answer there is a sample (PD-15)',
  { timeout: DAY_MS },
  async () => {
    await using daemon = await startTestDaemon()
    const contract = await contractOf(daemon.socket)
    const journal = new AnswerJournal(contract, daemon.socket)

    const cast = await scenes.registrations(journal)
    await scenes.frames(journal, cast)
    await scenes.verbs(journal, cast)
    await scenes.succession(journal)
    await scenes.envelopes(journal, cast)
    await scenes.runtimes(journal, daemon)
    await scenes.documents(journal)
    await streaming.streams(journal)
    await streaming.watch(journal, cast)

    expect(journal.faults).toEqual([])
    const documented = contract.operations
      .filter((one) => !isOfLinks(one))
      .flatMap((one) => contract.documented(one))
    expect(documented.filter((kind) => !journal.kinds.has(kind))).toEqual([])
    expect(documented.length).toBeGreaterThan(50)
  },
)

/** Operations that are the person's alone: a token is refused. */
const OF_THE_PERSON = [
  'answerHook',
  'endSession',
  'forgetFrames',
  'getHook',
  'openMcp',
  'stopDaemon',
  'waitHook',
]

/** Values of paths that name what is there, or could be. */
const PATH = {
  handle: '~alice',
  address: '~alice/cc@nobody',
  session: 'cc@nobody',
  frame_id: '00000000-0000-4000-8000-000000000000',
  event_id: 'nowhere-1',
  id: '00000000-0000-4000-8000-000000000000',
  corr: 'c-1',
  runtime: 'nothing',
  verb: 'agent_nothing',
  name: 'nothing',
}

/** What each operation refuses: a request that it does so with, by its status. */
function refusalsOf(operation: Operation, token: string): Readonly<Record<number, Question>> {
  const { operationId, path, requestBody } = operation
  const [type] = Object.keys(requestBody?.content ?? {})
  const known = { path: { ...PATH, runtime: 'codex', verb: 'agent_advise', name: 'frame' } }
  const body = { body: '{}', headers: { 'content-type': type ?? '' } }
  const bare = type === undefined ? known : { ...known, ...body }
  const whole = { ...bare, token }
  const own = OF_THE_PERSON.includes(operationId) ? bare : whole
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
  // A page of a workflow that is none is empty, and an event that is none is no event id.
  const isFound = names.length === 0 || ['getThread', 'getEvent'].includes(operationId)
  const criterion = operationId === 'forgetFrames' ? { query: { sender: '~nobody' } } : {}
  const takesJson = type === 'application/json'
  return {
    400: { ...own, query: { nobodys: 'x' } },
    401: { ...whole, token: 'nobodys' },
    405: { ...own, method: 'PATCH' },
    ...(OF_THE_PERSON.includes(operationId) && { 403: { ...whole, ...criterion } }),
    ...(names.includes('handle') && { 403: { ...own, path: { ...known.path, handle: '~bob' } } }),
    ...(!isFound && names.at(-1) !== 'handle' && { 404: { ...own, path: PATH } }),
    ...(takesJson && { 413: { ...own, body: Buffer.alloc(MUCH, ' ') } }),
    ...(type !== undefined && { 415: { ...own, ...body, headers: { 'content-type': 'text/csv' } } }),
  }
}

/** The token of a session that has a mailbox. */
async function tokenOf(journal: AnswerJournal): Promise<string> {
  return (await journal.get('openSession', { json: { instrument: 'cc', mailbox: true } })).body.token
}

/** More than any body may have. */
const MUCH = 1_200_000

test(
  'every operation refuses in the words of its contract what is common to refuse (PD-15, AC-159)',
  { timeout: DAY_MS },
  async () => {
    await using daemon = await startTestDaemon()
    const contract = await contractOf(daemon.socket)
    const journal = new AnswerJournal(contract, daemon.socket)
    const token = await tokenOf(journal)
    const expected: string[] = []

    for (const operation of contract.operations) {
      const { operationId } = operation
      if (isOfLinks(operation)) {
        expected.push(kindOf({ operationId, status: 404, mediaType: '', text: '' }))
        await journal.ask(operationId)
        continue
      }
      for (const [status, question] of Object.entries(refusalsOf(operation, token))) {
        expected.push(kindOf({ operationId, status: Number(status), mediaType: '', text: '' }))
        await journal.ask(operationId, question)
      }
    }

    expect(journal.faults).toEqual([])
    expect(expected.filter((kind) => !journal.kinds.has(kind))).toEqual([])
  },
)

test('every status that an error code has is one that a daemon answers with, in the words of its contract (PD-15)', async () => {
  const limits = { fan_out: 1, watchers: 1, submissions_per_second: 1, submission_burst: 10 }
  await using daemon = await startTestDaemon({ config: { limits, ring: { enabled: false } } })
  const contract = await contractOf(daemon.socket)
  const journal = new AnswerJournal(contract, daemon.socket)
  const verb = (name: string, json: object) => journal.ask('callVerb', { path: { verb: name }, json })

  for (const operationId of ['callVerb', 'endSession'])
    for (const question of Object.values(refusalsOf(contract.operation(operationId), await tokenOf(journal))))
      await journal.ask(operationId, question)
  for (const instrument of ['one', 'two'])
    await journal.ask('openSession', { json: { instrument, session_id: 's', mailbox: true } })
  await journal.ask('openSession', { json: { instrument: 'one', session_id: 's' } })
  await verb('agent_advise', { text: 'to more than one frame may reach' })
  await verb('agent_handover', { body: 'long '.repeat(20_000), keep: true })
  const watched = await journal.open('openWatch')
  await journal.ask('openWatch')
  watched[Symbol.dispose]()
  const body = JSON.stringify({ frame: validFrame() }).concat('\n').repeat(60)
  await journal.ask('submitFrame', { body, headers: { 'content-type': 'application/x-ndjson' } })
  await journal.ask('submitFrame', { json: { frame: validFrame() } })

  const met = new Set(journal.answers.map(({ status }) => status))
  const { body: document } = await journal.get('getOpenApi')
  const named = Object.values<{ status: number }>(document['x-error-codes']).map(({ status }) => status)
  expect(journal.faults).toEqual([])
  expect([...new Set(named)].filter((status) => !met.has(status))).toEqual([])
})

test('a member that no schema names, one that is missing, and what is not documented are found (PD-15)', async () => {
  await using daemon = await startTestDaemon()
  const contract = await contractOf(daemon.socket)
  const { body } = await request(daemon.socket, '/v1/health')
  const judge = (text: string, more: Partial<Answer> = {}) =>
    contract.faultsOf({ operationId: 'getHealth', status: 200, mediaType: 'application/json', text, ...more })

  expect(judge(JSON.stringify(body))).toEqual([])
  expect(judge(JSON.stringify({ ...body, stranger: 1 }))).not.toEqual([])
  expect(judge(JSON.stringify({ ...body, ring: { ...body.ring, stranger: 1 } }))).not.toEqual([])
  expect(judge(JSON.stringify({ ...body, pid: undefined }))).not.toEqual([])
  expect(judge('not JSON')).not.toEqual([])
  expect(judge(JSON.stringify(body), { status: 201 })).not.toEqual([])
  expect(judge(JSON.stringify(body), { mediaType: 'text/plain' })).not.toEqual([])
  expect(judge('{"code":"busy"}', { status: 503 })).not.toEqual([])
  const event = { operationId: 'openStream', mediaType: 'text/event-stream', event: 'agentd_bye' }
  expect(judge('{"reason":"shutdown"}', event)).toEqual([])
  expect(judge('{"reason":"whim"}', event)).not.toEqual([])
  expect(judge('{}', { ...event, event: 'agentd_news' })).not.toEqual([])
  const lines = { operationId: 'submitLog', mediaType: 'application/x-ndjson' }
  expect(judge('{"id":"x","logged":true}\n{"code":"busy","message":"x","line":2}\n', lines)).toEqual([])
  expect(judge('{"id":"x","logged":true,"more":1}\n', lines)).not.toEqual([])
})
