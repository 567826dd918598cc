/** The pipe between a host and daemons that misbehave, with bounds that a test can wait for (OP-08). */
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { MAX_KEPT_OCTETS, MAX_REQUESTS_IN_FLIGHT, PIPE_BOUNDS } from '../../../src/cli/pipe/bounds.ts'
import { NoLink, type Link, type LinkEvents } from '../../../src/cli/pipe/link.ts'
import { McpPipe } from '../../../src/cli/pipe/pipe.ts'
import { MAX_MCP_MESSAGE_OCTETS } from '../../../src/core/limits.ts'
import { Changes, within } from '../../support/within.ts'

const BOUNDS = { ...PIPE_BOUNDS, headMs: 40, beatMs: 10, silentMs: 60, endMs: 50 }

const Line = z.looseObject({
  id: z.union([z.number(), z.string(), z.null()]).optional(),
  method: z.string().optional(),
  result: z.record(z.string(), z.unknown()).optional(),
  error: z.looseObject({ message: z.string() }).optional(),
})

/** A daemon of which the test says every word. */
class FakeLink implements Link {
  readonly lines: string[] = []
  readonly events: LinkEvents
  readonly changes: Changes
  isTaking = true
  isDropped = false
  isEnded = false

  constructor(events: LinkEvents, changes: Changes) {
    this.events = events
    this.changes = changes
  }

  write(line: Buffer): boolean {
    this.lines.push(line.toString())
    this.changes.tell()
    return this.isTaking
  }

  drained(): Promise<void> {
    return this.isTaking ? Promise.resolve() : new Promise(() => {})
  }

  pause(): void {}

  resume(): void {}

  end(): Promise<void> {
    this.isEnded = true
    return Promise.resolve()
  }

  drop(): void {
    this.isDropped = true
    this.changes.tell()
  }

  say(message: object): void {
    this.events.onHeard()
    this.events.onLine(Buffer.from(JSON.stringify(message)))
  }

  /** Answers a request with its own method. */
  answer(method: string): void {
    const asked = this.lines.map((line) => parse(line)).findLast((one) => one?.method === method)
    this.say({ jsonrpc: '2.0', id: asked?.id, result: { method } })
  }

  until(method: string): Promise<unknown> {
    const look = (): true | undefined => (this.methods.includes(method) ? true : undefined)
    return this.changes.until(look, `${method} to be sent`)
  }

  get methods(): readonly (string | undefined)[] {
    return this.lines.filter((line) => line !== '').map((line) => parse(line)?.method)
  }
}

/** A host, its pipe, and the daemons it has met. */
class Bench implements AsyncDisposable {
  readonly links: FakeLink[] = []
  readonly troubles: string[] = []
  readonly told: z.infer<typeof Line>[] = []
  readonly changes = new Changes()
  readonly input = new PassThrough()
  readonly ended: Promise<void>
  /** Set: there is no daemon, and this is why. */
  noLink: NoLink | undefined

  constructor() {
    const output = new PassThrough()
    output.setEncoding('utf8').on('data', (text: string) => {
      for (const line of text.split('\n')) if (line !== '') this.told.push(Line.parse(JSON.parse(line)))
      this.changes.tell()
    })
    const pipe = new McpPipe({
      output,
      bounds: BOUNDS,
      onTrouble: (sentence) => void this.troubles.push(sentence),
      reach: async (events) => {
        if (this.noLink !== undefined) throw this.noLink
        return this.#link(events)
      },
      openOffline: async (events) => this.#link(events),
    })
    this.ended = pipe.run(this.input)
  }

  send(message: object): void {
    this.input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  }

  untilTold(id: number | null): Promise<z.infer<typeof Line>> {
    return this.changes.until(() => this.told.find((one) => one.id === id), `an answer to ${id}`)
  }

  link(count: number): Promise<FakeLink> {
    return this.changes.until(() => this.links[count - 1], `daemon ${count}`)
  }

  /** A handshake, answered. */
  async shake(): Promise<FakeLink> {
    this.send({ id: 0, method: 'initialize', params: {} })
    this.send({ method: 'notifications/initialized' })
    const link = await this.link(1)
    await link.until('notifications/initialized')
    link.answer('initialize')
    await this.untilTold(0)
    return link
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.input.end()
    await within(this.ended, 'the pipe to end')
  }

  #link(events: LinkEvents): FakeLink {
    const link = new FakeLink(events, this.changes)
    this.links.push(link)
    this.changes.tell()
    return link
  }
}

test('a daemon that comes next hears what the last one had kept, and the handshake, whose answer the host never sees (OP-08)', async () => {
  await using bench = new Bench()
  const first = await bench.shake()
  first.say({ agentd: { sessions: [] } })
  first.events.onLost('it has gone')

  bench.send({ id: 5, method: 'tools/call' })
  const second = await bench.link(2)
  await second.until('initialize')
  expect(second.lines[0]).toBe('{"agentd":{"sessions":[]}}')
  expect(second.methods).not.toContain('tools/call')
  second.answer('initialize')
  await second.until('tools/call')
  second.answer('tools/call')
  await bench.untilTold(5)

  expect(second.methods).toEqual([undefined, 'initialize', 'notifications/initialized', 'tools/call'])
  expect(bench.told.map(({ id }) => id)).toEqual([0, 5])
})

test('a call in flight fails with a sentence, and what changes nothing is asked again, once (OP-08)', async () => {
  await using bench = new Bench()
  const first = await bench.shake()
  bench.send({ id: 1, method: 'tools/call' })
  bench.send({ id: 2, method: 'tools/list' })
  await first.until('tools/list')

  first.events.onLost('it has gone')
  const failed = await bench.untilTold(1)
  expect(failed.result).toMatchObject({
    isError: true,
    structuredContent: { error: { code: 'lost', message: expect.stringContaining('may or may not') } },
  })
  expect(failed.result).not.toHaveProperty('resultType')
  const second = await bench.link(2)
  await second.until('initialize')
  second.answer('initialize')
  await second.until('tools/list')
  second.events.onLost('it has gone')

  expect((await bench.untilTold(2)).error?.message).toContain('lost')
  expect(bench.links).toHaveLength(2)
})

test('a daemon that is silent with a call under way is given up after a bound; signs of life keep it (OP-08)', async () => {
  await using bench = new Bench()
  const link = await bench.shake()
  bench.send({ id: 1, method: 'tools/call' })
  const beats = (): true | undefined =>
    link.lines.filter((line) => line === '').length >= 8 ? true : undefined
  link.changes.tell()
  const hearing = setInterval(() => link.events.onHeard(), 10)
  await bench.changes.until(beats, 'eight signs of life, more than the bound is long')
  expect(link.isDropped).toBe(false)
  clearInterval(hearing)

  const { result } = await bench.untilTold(1)

  expect(result).toMatchObject({ isError: true })
  expect(JSON.stringify(result)).toContain('does not answer')
  expect(link.isDropped).toBe(true)
})

test('a daemon that takes nothing is given up after a bound', async () => {
  await using bench = new Bench()
  const link = await bench.shake()
  link.isTaking = false

  bench.send({ method: 'notifications/progress' })
  await bench.changes.until(() => (link.isDropped ? true : undefined), 'the daemon to be given up')

  bench.send({ id: 4, method: 'tools/call' })
  expect(await bench.link(2)).not.toBe(link)
})

test('a handshake that the next daemon does not answer is a call that fails', async () => {
  await using bench = new Bench()
  const first = await bench.shake()
  first.events.onLost('it has gone')

  bench.send({ id: 3, method: 'tools/call' })

  expect((await bench.untilTold(3)).result).toMatchObject({
    structuredContent: { error: { code: 'unreachable' } },
  })
  expect((await bench.link(2)).isDropped).toBe(true)
})

test('without a daemon a call fails with the reason, and the rest is answered here until one comes', async () => {
  await using bench = new Bench()
  bench.noLink = new NoLink('absent', 'No daemon answers at /s.')
  bench.send({ id: 0, method: 'initialize' })
  const here = await bench.link(1)
  await here.until('initialize')
  here.answer('initialize')
  bench.send({ id: 1, method: 'tools/call' })
  expect(JSON.stringify((await bench.untilTold(1)).result)).toContain('No daemon answers at /s.')

  bench.noLink = undefined
  bench.send({ id: 2, method: 'tools/call' })
  const daemon = await bench.link(2)
  await daemon.until('initialize')
  daemon.answer('initialize')
  await daemon.until('tools/call')

  expect(here.isDropped).toBe(true)
  expect(bench.troubles).toEqual(['No daemon answers at /s.', 'No daemon answers at /s.'])
})

test('a daemon that refuses the pipe is an error of every request, in its own words', async () => {
  await using bench = new Bench()
  bench.noLink = new NoLink('refused', "This takes the person's key.")

  bench.send({ id: 0, method: 'initialize' })
  bench.send({ id: 1, method: 'tools/call' })

  expect((await bench.untilTold(0)).error?.message).toBe("This takes the person's key.")
  expect((await bench.untilTold(1)).error?.message).toBe("This takes the person's key.")
})

test(`at most ${MAX_REQUESTS_IN_FLIGHT} requests are under way; one that was called off is none`, async () => {
  await using bench = new Bench()
  const link = await bench.shake()
  for (let id = 1; id <= MAX_REQUESTS_IN_FLIGHT; id += 1) bench.send({ id, method: 'tools/call' })
  bench.send({ id: 900, method: 'tools/call' })
  expect((await bench.untilTold(900)).error?.message).toContain('Too many')

  bench.send({ method: 'notifications/cancelled', params: { requestId: 1 } })
  bench.send({ id: 901, method: 'ping' })
  await link.until('ping')

  expect(bench.told.map(({ id }) => id)).toEqual([0, 900])
})

test('a line over the bound is refused, and the next one is sent', async () => {
  await using bench = new Bench()
  const link = await bench.shake()
  bench.input.write(`"${'x'.repeat(MAX_MCP_MESSAGE_OCTETS)}"\n`)
  bench.send({ id: 1, method: 'ping' })
  await link.until('ping')

  expect((await bench.untilTold(null)).error?.message).toContain('octets long')
  expect(link.lines.every((line) => line.length < 1_000)).toBe(true)
})

test('a line to be kept that is over its bound is not kept, and no host sees it', async () => {
  await using bench = new Bench()
  const first = await bench.shake()
  first.say({ agentd: { name: 'x'.repeat(MAX_KEPT_OCTETS) } })
  first.events.onLost('it has gone')

  bench.send({ id: 1, method: 'tools/call' })
  const second = await bench.link(2)
  await second.until('initialize')

  expect(second.lines).toHaveLength(1)
  expect(bench.told.map(({ id }) => id)).toEqual([0])
})

test('the end of the host is the end of the pipe, though the daemon never says a word more', async () => {
  const bench = new Bench()
  const link = await bench.shake()
  link.end = () => {
    link.isEnded = true
    return new Promise(() => {})
  }

  await bench[Symbol.asyncDispose]()

  expect(link.isEnded).toBe(true)
  expect(link.isDropped).toBe(true)
})

function parse(line: string): z.infer<typeof Line> | undefined {
  return line === '' ? undefined : Line.parse(JSON.parse(line))
}
