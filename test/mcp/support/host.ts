/**
 * An agent runtime as far as MCP goes: lines of JSON-RPC to a server, in the words of any revision.
 *
 * Written by hand on purpose: the SDK on both sides would agree with itself about what it gets wrong.
 */
import { spawn } from 'node:child_process'
import { PassThrough, type Readable, type Writable } from 'node:stream'
import { z } from 'zod'
import { serveMcp, type ServeParts } from '../../../src/mcp/serve.ts'
import { Changes, within } from '../../support/within.ts'

/** The current revision: every request says who asks and in which revision, and there is no handshake. */
export const MODERN = '2026-07-28'

/** Those with a handshake, newest first. */
export const LEGACY = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const

const Answer = z.looseObject({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.number(), z.string(), z.null()]),
  result: z.record(z.string(), z.unknown()).optional(),
  error: z.looseObject({ code: z.number(), message: z.string() }).optional(),
})
export type Answer = z.infer<typeof Answer>

const ToolResult = z.looseObject({
  content: z.array(z.strictObject({ type: z.literal('text'), text: z.string() })).length(1),
  structuredContent: z.record(z.string(), z.unknown()),
  isError: z.boolean().optional(),
})

/** A `tools/call` as a host has it. */
export interface Called {
  readonly isError: boolean
  /** The structured content. */
  readonly facts: Readonly<Record<string, unknown>>
  readonly text: string
}

/** How a host presents itself. */
export interface HostOptions {
  /** Default: the current revision. */
  readonly revision?: string
  /** `clientInfo.name`; default one that no runtime has. */
  readonly name?: string
}

/** A host and its connection. Use it with `await using`: it ends the input and waits for the end. */
export class Host implements AsyncDisposable {
  /** Everything the server has written to its output, line by line. */
  readonly lines: string[] = []
  readonly answers: Answer[] = []
  /** Resolves when the server has ended. */
  readonly ended: Promise<unknown>
  readonly #toServer: Writable
  readonly #revision: string
  readonly #name: string
  readonly #changes = new Changes()
  #rest = ''
  #lastId = 0

  constructor(wire: { to: Writable; from: Readable; ended: Promise<unknown> }, options: HostOptions = {}) {
    this.#toServer = wire.to
    this.#revision = options.revision ?? MODERN
    this.#name = options.name ?? 'a-host'
    this.ended = wire.ended
    wire.to.on('error', () => {})
    wire.from.setEncoding('utf8').on('data', (chunk: string) => this.#read(chunk))
  }

  /** What every host does first. */
  async open(): Promise<Answer> {
    if (this.#revision === MODERN) return this.request('server/discover', {})
    const clientInfo = { name: this.#name, version: '1.0.0' }
    const params = { protocolVersion: this.#revision, capabilities: {}, clientInfo }
    const answer = await this.request('initialize', params)
    this.send({ jsonrpc: '2.0', method: 'notifications/initialized' })
    return answer
  }

  /** Sends a request; its answer, whatever it is. */
  async request(method: string, params: Record<string, unknown> = {}): Promise<Answer> {
    const id = this.post(method, params)
    return this.answerTo(id)
  }

  /** Sends a request and does not wait. @returns its id */
  post(method: string, params: Record<string, unknown> = {}): number {
    this.#lastId += 1
    const own = z.record(z.string(), z.unknown()).optional().parse(params['_meta']) ?? {}
    const _meta = this.#revision === MODERN ? { ...own, ...this.#envelope() } : own
    this.send({ jsonrpc: '2.0', id: this.#lastId, method, params: { ...params, _meta } })
    return this.#lastId
  }

  answerTo(id: number | null): Promise<Answer> {
    return this.#changes.until(() => this.answers.find((one) => one.id === id), `the answer to request ${id}`)
  }

  /** Calls a tool; `structuredContent` and the text have to be the same thing. */
  async call(name: string, args: object = {}, meta: Record<string, unknown> = {}): Promise<Called> {
    const answer = await this.request('tools/call', { name, arguments: args, _meta: meta })
    return readCalled(answer)
  }

  send(message: object): void {
    this.write(`${JSON.stringify(message)}\n`)
  }

  /** Any octets at all. */
  write(text: string | Buffer): void {
    this.#toServer.write(text)
  }

  /** Ends the server's input. */
  hangUp(): void {
    this.#toServer.end()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.hangUp()
    await within(this.ended, 'the server to end with its input')
  }

  #envelope(): Record<string, unknown> {
    return {
      'io.modelcontextprotocol/protocolVersion': this.#revision,
      'io.modelcontextprotocol/clientInfo': { name: this.#name, version: '1.0.0' },
      'io.modelcontextprotocol/clientCapabilities': {},
    }
  }

  #read(chunk: string): void {
    const parts = (this.#rest + chunk).split('\n')
    this.#rest = parts.pop() ?? ''
    for (const line of parts) {
      this.lines.push(line)
      const parsed = Answer.safeParse(JSON.parse(line))
      if (parsed.success) this.answers.push(parsed.data)
    }
    this.#changes.tell()
  }
}

/** @throws when text and structured content differ, or a result is not one */
export function readCalled({ result, error }: Answer): Called {
  if (result === undefined) throw new Error(`no result: ${JSON.stringify(error)}`)
  const { content, structuredContent, isError = false } = ToolResult.parse(result)
  const text = content[0]?.text ?? ''
  if (JSON.stringify(JSON.parse(text)) !== JSON.stringify(structuredContent)) {
    throw new Error(`text and structured content differ: ${text} / ${JSON.stringify(structuredContent)}`)
  }
  return { isError, facts: structuredContent, text }
}

/** A host whose server runs in this process. */
export function hostInProcess(parts: Omit<ServeParts, 'input' | 'output'>, options: HostOptions = {}): Host {
  const input = new PassThrough()
  const output = new PassThrough()
  const ended = serveMcp({ ...parts, input, output })
  return new Host({ to: input, from: output, ended }, options)
}

/** How a server that is a process of its own ended. */
export interface ProcessEnd {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stderr: string
}

/** A host whose server is a process of its own. */
export function hostOfProcess(
  { args, env, cwd }: { args: readonly string[]; env: Readonly<Record<string, string>>; cwd?: string },
  options: HostOptions = {},
): Host & { readonly process: Promise<ProcessEnd>; readonly signal: (name: NodeJS.Signals) => void } {
  const child = spawn(process.execPath, args, { env, stdio: 'pipe', ...(cwd !== undefined && { cwd }) })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk
  })
  const ended = new Promise<ProcessEnd>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal, stderr }))
  })
  const host = new Host({ to: child.stdin, from: child.stdout, ended }, options)
  return Object.assign(host, { process: ended, signal: (name: NodeJS.Signals) => void child.kill(name) })
}
