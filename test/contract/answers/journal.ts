/**
 * Asks a daemon by the names of operations, and writes down what it answers.
 */
import {
  openLines,
  openStream,
  request,
  type Reply,
  type RequestOptions,
  type SseReader,
} from '../../support/http.ts'
import { kindOf, withoutParameters, type Answer, type AnswerContract } from './contract.ts'
import { fillPath } from '../documented.ts'

/** What an operation is asked with. */
export interface Question extends RequestOptions {
  /** Values of the path's parameters. */
  readonly path?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
}

export class AnswerJournal {
  readonly #contract: AnswerContract
  readonly #socket: string
  readonly #answers: Answer[]

  /** @param answers - those of another daemon, to go on with */
  constructor(contract: AnswerContract, socket: string, answers: readonly Answer[] = []) {
    this.#contract = contract
    this.#socket = socket
    this.#answers = [...answers]
  }

  get answers(): readonly Answer[] {
    return this.#answers
  }

  /** What there is a sample of. */
  get kinds(): ReadonlySet<string> {
    return new Set(this.#answers.map(kindOf))
  }

  /** What the document does not have of what was answered. */
  get faults(): readonly string[] {
    return this.#answers.flatMap((answer) => this.#contract.faultsOf(answer))
  }

  async ask(operationId: string, question: Question = {}): Promise<Reply> {
    const { method } = this.#contract.operation(operationId)
    const reply = await request(this.#socket, this.#targetOf(operationId, question), { method, ...question })
    const mediaType = withoutParameters(reply.headers['content-type'] ?? '')
    this.#answers.push({ operationId, status: reply.status, mediaType, text: reply.text })
    return reply
  }

  /** As {@link ask}, of what is to be taken. @throws Error for a refusal */
  async get(operationId: string, question: Question = {}): Promise<Reply> {
    const reply = await this.ask(operationId, question)
    if (reply.status < 400) return reply
    throw new Error(`${operationId} answered ${reply.status}: ${reply.text}`)
  }

  /** Sends one line, and goes when it is answered. */
  async say(operationId: string, line: object): Promise<void> {
    using lines = openLines(this.#socket, { path: this.#targetOf(operationId, {}) })
    lines.send(line)
    const [answer] = await lines.answered(1)
    const mediaType = withoutParameters((await lines.headers)['content-type'] ?? '')
    const text = `${JSON.stringify(answer)}\n`
    this.#answers.push({ operationId, status: await lines.status, mediaType, text })
  }

  /** Opens a stream; what has come of it is written down by {@link close}. */
  open(operationId: string, question: Question = {}): Promise<SseReader> {
    return openStream(this.#socket, this.#targetOf(operationId, question), question)
  }

  close(operationId: string, stream: SseReader): void {
    const { status, head, events } = stream
    const mediaType = withoutParameters(/^content-type: (.*)\r$/im.exec(head)?.[1] ?? '')
    this.#answers.push({ operationId, status, mediaType, text: '' })
    // Without names there are frames alone.
    for (const { event = 'agent_frame', data } of events)
      this.#answers.push({ operationId, status, mediaType, text: data, event })
    stream[Symbol.dispose]()
  }

  #targetOf(operationId: string, { path = {}, query }: Question): string {
    const target = fillPath(this.#contract.operation(operationId).path, path)
    return query === undefined ? target : `${target}?${new URLSearchParams(query).toString()}`
  }
}
