/**
 * What the OpenAPI document tells of query parameters that bear on each other, before a daemon: every pair of parameters of
 * every route is asked of one, so that no rule is told that does not hold, and none holds that is not told (PD-15).
 */
import { request as httpRequest } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { sendEnvelope, validEnvelope } from '../support/envelopes.ts'
import { validFrame } from '../support/frames.ts'
import { openStream } from '../support/http.ts'
import { within } from '../support/within.ts'
import { SharedDaemon } from '../server/shared-daemon.ts'
import { fillPath, operationsOf, type Operation } from './documented.ts'

const shared = new SharedDaemon()

/** For all pairs of all routes, on a machine with other things to do. */
const PAIRS_MS = 60_000

/** What an operation is asked with, besides its query. */
interface Surroundings {
  readonly token?: string
  readonly body?: string
}

/** Parameters with a well-formed value each. */
type Given = readonly (readonly [name: string, value: string])[]

interface Refusal {
  readonly code: string
  readonly field?: string
}

/** How to ask one operation: what its path is about, values that each parameter takes, and what may stand beside the query. */
interface Subject {
  readonly path: Readonly<Record<string, string>>
  readonly values: Readonly<Record<string, readonly string[]>>
  readonly beside: readonly Surroundings[]
}

const TIME = ['2026-11-20T12:00:00Z']
const NOBODYS = '00000000-0000-4000-8000-000000000000'

/** Operation → how it is asked. */
async function subjects(): Promise<Readonly<Record<string, Subject>>> {
  const { token } = await shared.register({ tool: 'cc' })
  const frame = validFrame()
  const { body: sent } = await shared.post('/v1/frames', { frame })
  const { id, corr } = validEnvelope()
  await sendEnvelope(shared.socket, validEnvelope({ id, corr }))
  const place = [sent.event_id]
  const waits = { wait: ['seen'], timeout_ms: ['0'] }
  const either = [{}, { token }]
  return {
    openStream: {
      path: { handle: '~alice' },
      values: {
        filter: ['kind:agent_query'],
        after: place,
        replay: ['1'],
        instrument: ['visitor'],
        session_id: ['v1'],
        tool: ['human', 'codex'],
        entities: ['agent.x', 'human.x'],
        aside: ['true'],
        profile: ['memo'],
      },
      beside: either,
    },
    openWatch: { path: {}, values: { after: place, replay: ['1'] }, beside: either },
    getRoster: {
      path: { handle: '~alice' },
      values: { after: ['1'], limit: ['1'], near: ['self'], nodes: ['all'] },
      beside: either,
    },
    submitFrame: {
      path: {},
      values: { recipient_scope: ['~alice/*'] },
      beside: [
        { body: JSON.stringify({ frame }) },
        { body: JSON.stringify({ frame, recipient_scope: '~alice/*' }) },
      ],
    },
    getHistory: {
      path: {},
      values: {
        handle: ['~alice'],
        filter: ['kind:agent_query'],
        after: place,
        sender: ['~alice'],
        since: TIME,
        before: TIME,
        text: ['x'],
        limit: ['1'],
      },
      beside: either,
    },
    forgetFrames: {
      path: {},
      values: {
        event_id: place,
        frame_id: [NOBODYS],
        corr: [NOBODYS],
        sender: ['~nobody'],
        kind: ['agent_query'],
        before: TIME,
        up_to: place,
        dry_run: ['true'],
        everywhere: ['true'],
      },
      beside: [{}],
    },
    getReceipts: { path: { frame_id: frame.frame_id }, values: waits, beside: either },
    getEnvelopeReceipts: { path: { id }, values: waits, beside: either },
    getEvents: {
      path: {},
      values: {
        before: place,
        after: place,
        limit: ['1'],
        kind: ['agent_query,aee_envelope'],
        sender: ['~alice'],
        session: ['~alice/cc@s1'],
        corr: [corr],
        text: ['x'],
      },
      beside: either,
    },
    getThreads: { path: {}, values: { before: place, limit: ['1'], open: ['true'] }, beside: either },
    getThread: { path: { corr }, values: { after: place, limit: ['1'] }, beside: either },
  }
}

async function operations(): Promise<readonly Operation[]> {
  return operationsOf((await shared.get('/v1/openapi.json')).body)
}

function inQuery({ parameters }: Operation) {
  return parameters.filter((one) => one.in === 'query')
}

/** The sentences that a parameter's description has. */
function sentencesOf(operation: Operation, name: string): readonly string[] {
  const { description } = operation.parameters.find((one) => one.name === name) ?? {}
  return description?.split(/(?<=\.) (?=")/) ?? []
}

/** What an operation's sentences refuse, each as its field and its code. */
function refusedBy(operation: Operation): ReadonlySet<string> {
  const sentences = inQuery(operation).flatMap(({ name }) => sentencesOf(operation, name))
  const found = sentences.map((sentence) => /^"(\w+)" .*\(`([\w-]+)`\)\.$/.exec(sentence))
  return new Set(found.flatMap((match) => (match === null ? [] : [`${match[1]} ${match[2]}`])))
}

/** Whether a parameter's description tells of a refusal. */
function tells(operation: Operation, name: string, { code, field }: Refusal): boolean {
  return sentencesOf(operation, name).some(
    (sentence) => sentence.startsWith(`"${field ?? name}" `) && sentence.endsWith(`(\`${code}\`).`),
  )
}

/** Asks, and reads a refusal whole; of anything else, as a stream that never ends, no more than its head. */
function refusalOf({ method }: Operation, path: string, { token, body }: Surroundings) {
  const answered = new Promise<Refusal | undefined>((resolve, reject) => {
    const headers = {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    }
    const outgoing = httpRequest(
      { socketPath: shared.socket, path, method, headers, agent: false },
      (incoming) => {
        const { statusCode = 0 } = incoming
        if (statusCode < 400) {
          outgoing.destroy()
          resolve(undefined)
        } else text(incoming).then((said) => resolve(JSON.parse(said)), reject)
      },
    )
    outgoing.once('error', reject)
    outgoing.end(body)
  })
  return within(answered, `the answer to ${method} ${path}`)
}

/** Nothing, each value alone, and each two of different parameters. */
function sets(values: Subject['values']): readonly Given[] {
  const singles = Object.entries(values).flatMap(([name, of]) => of.map((value) => [name, value] as const))
  const pairs = singles.flatMap((one, at) =>
    singles.slice(at + 1).flatMap((other) => (other[0] === one[0] ? [] : [[one, other]])),
  )
  return [[], ...singles.map((one) => [one]), ...pairs]
}

/** One set of parameters, and what became of it. */
interface Asked {
  readonly given: Given
  readonly refusal: Refusal | undefined
}

async function askAll(operation: Operation, subject: Subject, surroundings: Surroundings) {
  const asked: Asked[] = []
  for (const given of sets(subject.values)) {
    const path = `${fillPath(operation.path, subject.path)}?${new URLSearchParams(Object.fromEntries(given)).toString()}`
    asked.push({ given, refusal: await refusalOf(operation, path, surroundings) })
  }
  return asked
}

function isPart(part: Given, whole: Given): boolean {
  return part.length < whole.length && part.every((one) => whole.includes(one))
}

/** What the document does not tell of what became of some sets. */
function untold(operation: Operation, asked: readonly Asked[]): readonly string[] {
  return asked.flatMap(({ given, refusal }) => {
    const parts = asked.filter((one) => isPart(one.given, given))
    const names = given.map(([name]) => name)
    if (refusal === undefined) {
      // What is refused no more with one parameter more has to do with that one.
      return parts.flatMap((part) => {
        const { refusal: before } = part
        const more = given.filter((one) => !part.given.includes(one))
        if (before === undefined || more.length > 1) return []
        return more.flatMap(([name]) =>
          tells(operation, name, before) ? [] : [`${name} helps ${JSON.stringify(before)}`],
        )
      })
    }
    // The least that is refused has to do with all of its parameters; more than that, with the one that is named.
    const isLeast = names.length > 0 && parts.every((part) => part.refusal === undefined)
    if (!isLeast && names.some((name) => tells(operation, name, refusal))) return []
    const about = isLeast ? names : [refusal.field ?? '']
    return about.flatMap((name) =>
      tells(operation, name, refusal)
        ? []
        : [`${name} of ${names.join(' and ')}: ${JSON.stringify(refusal)}`],
    )
  })
}

test(
  'what is refused of two parameters together the document tells with both, and what it tells is refused (PD-15)',
  { timeout: PAIRS_MS },
  async () => {
    for (const operation of await operations()) {
      const names = inQuery(operation).map(({ name }) => name)
      // Anew each time: one of them forgets.
      const subject = (await subjects())[operation.operationId]
      if (subject === undefined) {
        // Nothing to stand together, and nothing told. Without a link there are no paths of one (FED-01).
        const isFree = names.length < 2 || operation.path.startsWith('/v1/link')
        expect([operation.operationId, isFree, refusedBy(operation)]).toEqual([
          operation.operationId,
          true,
          new Set(),
        ])
        continue
      }
      expect(Object.keys(subject.values).toSorted(), operation.operationId).toEqual(names.toSorted())
      const met = new Set<string>()
      for (const surroundings of subject.beside) {
        const asked = await askAll(operation, subject, surroundings)
        expect(untold(operation, asked), operation.operationId).toEqual([])
        for (const { given, refusal } of asked) {
          const names = refusal?.field === undefined ? given.map(([name]) => name) : [refusal.field]
          const found = names.map((name) => `${name} ${refusal?.code}`)
          for (const one of found) if (refusedBy(operation).has(one)) met.add(one)
        }
      }
      expect([...met].toSorted(), operation.operationId).toEqual([...refusedBy(operation)].toSorted())
    }
  },
)

test('the document tells nine rules that refuse, and no request is refused by one with other words (PD-15)', async () => {
  const told = (await operations()).flatMap((operation) => [...refusedBy(operation)])
  const { body } = await shared.get('/v1/events?before=x&after=x')
  const { token } = await shared.register()
  const { body: other } = await shared.get('/v1/handles/~alice/stream?tool=human', token)

  expect(told.toSorted()).toEqual([
    'before field-invalid',
    'entities field-invalid',
    'entities sender-identity-mismatch',
    'frame_id field-missing',
    'instrument field-invalid',
    'near unauthenticated',
    'recipient_scope field-invalid',
    'session_id field-invalid',
    'tool field-invalid',
  ])
  expect(body).toEqual({
    code: 'field-invalid',
    field: 'before',
    message: '"before" has to be left out beside "after": a page goes one way.',
  })
  expect(other.message).toBe('"tool" has to be that of the session whose token is shown.')
})

/** The id of the first item that a stream or a watch has. */
async function first(path: string, query: string, headers = {}): Promise<string | undefined> {
  using stream = await openStream(shared.socket, `${path}?${query}`, { headers })
  return (await stream.next(path === '/v1/watch' ? 'agentd_passed' : 'agent_frame')).id
}

async function threeItems(): Promise<readonly string[]> {
  const ids: string[] = []
  for (let i = 0; i < 3; i += 1)
    ids.push((await shared.post('/v1/frames', { frame: validFrame() })).body.event_id)
  return ids
}

const BEHAVIOURS: Readonly<Record<string, (path: string) => Promise<void>>> = {
  '"after" counts for nothing beside the header Last-Event-ID.': async (path) => {
    const [one, two, three] = await threeItems()
    expect(await first(path, `after=${one}`, { 'last-event-id': two })).toBe(three)
  },
  '"replay" counts for nothing beside "after" or Last-Event-ID.': async (path) => {
    const [one, two, three] = await threeItems()
    expect(await first(path, 'replay=1')).toBe(three)
    expect(await first(path, `after=${one}&replay=1`)).toBe(two)
    expect(await first(path, 'replay=1', { 'last-event-id': one })).toBe(two)
  },
  '"timeout_ms" counts for nothing without "wait".': async (path) => {
    // Nobody sees it, so that with "wait" this would be answered long after the test.
    await shared.register({ instrument: 'unseeing', mailbox: true })
    const { frame_id } = validFrame()
    const { id } = validEnvelope()
    await shared.register({ instrument: 'deaf', mailbox: true, entities: ['agent.deaf'] })
    await shared.post('/v1/frames', { frame: validFrame('agent_broadcast', { frame_id }) })
    await sendEnvelope(shared.socket, validEnvelope({ id, to: 'agent.deaf' }))
    const target = fillPath(path, { frame_id, id })
    const { status, body } = await shared.get(`${target}?timeout_ms=600000`)
    expect([status, body.queued_count > 0]).toEqual([200, true])
  },
}

test('the document says which counts, and that one does (PD-15, AC-142)', async () => {
  const seen = new Set<string>()
  for (const operation of await operations()) {
    const sentences = inQuery(operation).flatMap(({ name }) => sentencesOf(operation, name))
    for (const sentence of new Set(sentences.filter((one) => !one.endsWith('`).')))) {
      expect(Object.keys(BEHAVIOURS)).toContain(sentence)
      await BEHAVIOURS[sentence]?.(operation.path.replace('{handle}', '~alice'))
      seen.add(sentence)
    }
  }
  expect([...seen].toSorted()).toEqual(Object.keys(BEHAVIOURS).toSorted())
})
