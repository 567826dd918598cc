/**
 * One request in work for each connection: what is sent behind it waits, and the connection is not read from meanwhile.
 *
 * Node's parser hands over every request of the octets it was given, up to 64 KiB at once, and each answer may be
 * megabytes: forty kilobytes that were pipelined made gigabytes of answers.
 *
 * @see; HD-09
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { AgentdError } from '../core/errors.ts'
import type { MemoryBudget, MemoryCharge } from './request/memory-budget.ts'
import { writeProblem } from './request/problem.ts'

/** Requests that may wait behind the one in work. */
export const MAX_WAITING_REQUESTS = 128

/** What a request that waits costs besides its octets: what Node makes of it before it is read. */
const WAITING_OCTETS = 4 * 1024

/** What the parser hands over at once: the most that bodies of waiting requests hold. */
const READ_OCTETS = 64 * 1024

/** A request with its answer. */
interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/** What a connection has sent and has no answer to. */
interface Backlog {
  isBusy: boolean
  /** More was sent than may wait: the last of those that do is refused. */
  isOverfull: boolean
  readonly waiting: Exchange[]
  readonly charge: MemoryCharge
}

/** Begins with a request; the answer's `close` says when it is over. */
type Start = (request: IncomingMessage, response: ServerResponse) => void

export class RequestQueue {
  readonly #backlogs = new WeakMap<Socket, Backlog>()
  readonly #budget: MemoryBudget
  readonly #start: Start

  constructor(budget: MemoryBudget, start: Start) {
    this.#budget = budget
    this.#start = start
  }

  /** A request has come; it is begun with at once, or when those before it are answered. */
  take(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request
    const backlog = this.#backlogOf(socket)
    if (!backlog.isBusy) return this.#begin(backlog, { request, response })
    // Whoever is over the bound is told behind what waits, and nothing after that is looked at.
    if (backlog.isOverfull) return
    const { waiting, charge } = backlog
    backlog.isOverfull = waiting.length === MAX_WAITING_REQUESTS
    waiting.push({ request, response })
    socket.pause()
    try {
      charge.hold(READ_OCTETS + waiting.length * WAITING_OCTETS)
    } catch (error) {
      if (!(error instanceof AgentdError)) throw error
      // Each that waits is as heavy as its answer, and an answer would have to stand in line itself.
      socket.destroy()
    }
  }

  #backlogOf(socket: Socket): Backlog {
    const known = this.#backlogs.get(socket)
    if (known !== undefined) return known
    const backlog: Backlog = {
      isBusy: false,
      isOverfull: false,
      waiting: [],
      charge: this.#budget.open(),
    }
    this.#backlogs.set(socket, backlog)
    socket.once('close', () => {
      backlog.waiting.length = 0
      backlog.charge.release()
    })
    return backlog
  }

  #begin(backlog: Backlog, { request, response }: Exchange): void {
    backlog.isBusy = true
    response.once('close', () => this.#next(backlog, request.socket))
    this.#start(request, response)
  }

  #next(backlog: Backlog, socket: Socket): void {
    backlog.isBusy = false
    // An answer that closes its connection is the last one, whatever was sent behind its request.
    if (socket.destroyed || socket.writableEnded) return
    const { waiting, charge, isOverfull } = backlog
    const exchange = waiting.shift()
    if (exchange === undefined) return
    charge.owe(waiting.length === 0 ? 0 : READ_OCTETS + waiting.length * WAITING_OCTETS)
    // Read from again as soon as nothing waits: that its other end is gone shows only then.
    if (waiting.length === 0 && !isOverfull) {
      socket.resume()
    }
    if (waiting.length > 0 || !isOverfull) return this.#begin(backlog, exchange)
    exchange.response.setHeader('connection', 'close')
    writeProblem(exchange.response, tooManyWaiting())
  }
}

function tooManyWaiting(): AgentdError {
  return new AgentdError(
    'busy',
    `At most ${MAX_WAITING_REQUESTS} requests of one connection wait for their turn.`,
    {
      retryAfterMs: 1_000,
    },
  )
}
