/** Streams of pages: four, let through as they come, with a word of this process between two events (SEAT-16, SEAT-19). */
import { PassThrough } from 'node:stream'
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import { expect, test, vi } from 'vitest'
import type { Seat } from '../../../../src/ui/serve/keys/seats.ts'
import { MAX_PAGES, Pages } from '../../../../src/ui/serve/upstream/pages.ts'
import { within, Changes } from '../../../support/within.ts'

const SEAT: Seat = { digest: Buffer.from('one'), openedMs: 0 }
const OTHER: Seat = { digest: Buffer.from('other'), openedMs: 0 }

/** A daemon that says what it is told to, and browsers in front of it, over real sockets. */
async function openStage() {
  const upstreams: ServerResponse[] = []
  const answers: ServerResponse[] = []
  const daemon = createServer((_request, response) => void upstreams.push(response.writeHead(200)))
  const front = createServer((_request, response) => void answers.push(response))
  for (const server of [daemon, front]) await once(server.listen(0, '127.0.0.1'), 'listening')
  const join = async (pages: Pages, seat: Seat) => {
    const reader = await open(front, answers)
    const source = await open(daemon, upstreams)
    source.server.flushHeaders()
    const [upstream]: IncomingMessage[] = await within(source.answer, 'the daemon’s answer')
    pages.join({ seat, response: reader.server, upstream: upstream! })
    reader.server.flushHeaders()
    const [answer]: IncomingMessage[] = await within(reader.answer, 'the head')
    return {
      ...collect(answer!),
      say: (text: string) => void source.server.write(text),
      source: source.server,
    }
  }
  return {
    join,
    [Symbol.dispose]() {
      for (const server of [daemon, front]) server.close().closeAllConnections()
    },
  }
}

async function open(server: ReturnType<typeof createServer>, came: ServerResponse[]) {
  const address = server.address()
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0
  const arrived = once(server, 'request')
  const request = get({ host: '127.0.0.1', port, agent: false })
  request.on('error', () => {})
  const answer = once(request, 'response')
  await within(arrived, 'a request')
  return { answer, server: came.at(-1)! }
}

function collect(answer: IncomingMessage) {
  const changes = new Changes()
  let text = ''
  answer.on('data', (chunk: Buffer) => {
    text += chunk.toString()
    changes.tell()
  })
  answer.on('error', () => {})
  const ended = once(answer.pipe(new PassThrough().resume()), 'finish')
  return {
    text: () => text,
    until: (wanted: string) => changes.until(() => (text.includes(wanted) ? text : undefined), wanted),
    ended: () => within(ended, 'the end of the stream'),
  }
}

const notice = (what: string): string => `event: agentd_seat\ndata: {"what":"${what}"}\n\n`

test('what this process says stands between two events, never in one (SEAT-17)', async () => {
  using stage = await openStage()
  const pages = new Pages()
  const page = await stage.join(pages, SEAT)

  page.say('id: 1\ndata: on')
  await page.until('on')
  pages.tellAll({ what: 'guesses' })
  page.say('e\n\nid: 2\n')
  page.say('data: two\n\n')
  await page.until(notice('guesses'))
  pages.tellAll({ what: 'guesses' })

  await page.until(`${notice('guesses')}${notice('guesses')}`)
  expect(page.text()).toBe(`id: 1\ndata: one\n\nid: 2\ndata: two\n\n${notice('guesses').repeat(2)}`)
})

test('there is room for four, and whoever came first makes room for one more (SEAT-19)', async () => {
  using stage = await openStage()
  const pages = new Pages()
  const first = await stage.join(pages, SEAT)
  for (let more = 1; more < MAX_PAGES; more += 1) await stage.join(pages, SEAT)

  expect([pages.count, pages.hasRoom]).toEqual([MAX_PAGES, false])
  pages.takeOver()

  await first.ended()
  expect(first.text()).toBe(notice('taken'))
  expect([pages.count, pages.hasRoom]).toEqual([MAX_PAGES - 1, true])
})

test('how many pages there are, and how many somebody sees, is told whenever it changes (SEAT-43)', async () => {
  using stage = await openStage()
  const told: string[] = []
  const pages = new Pages(({ connected, visible }) => told.push(`${visible} of ${connected}`))
  const one = await stage.join(pages, SEAT)
  await stage.join(pages, OTHER)
  pages.see(SEAT, false)
  pages.see(OTHER, false)
  pages.see(SEAT, true)
  one.source.destroy()
  await one.ended()

  await vi.waitFor(() =>
    expect(told).toEqual(['0 of 0', '1 of 1', '2 of 2', '1 of 2', '0 of 2', '1 of 2', '0 of 1']),
  )
})

test('who is signed out is told and cut, and others are not (SEAT-16)', async () => {
  using stage = await openStage()
  const pages = new Pages()
  const [one, other] = [await stage.join(pages, SEAT), await stage.join(pages, OTHER)]

  pages.endOf(SEAT)
  await one.ended()
  other.say('data: still here\n\n')

  expect(one.text()).toBe(notice('signed-out'))
  await other.until('still here')
})

test('the end of the daemon is the end of the stream, and the browser’s is the daemon’s (SEAT-19)', async () => {
  using stage = await openStage()
  const pages = new Pages()
  const page = await stage.join(pages, SEAT)

  page.say('data: last\n\n')
  await page.until('last')
  page.source.destroy()

  await page.ended()
  expect(pages.count).toBe(0)
})
