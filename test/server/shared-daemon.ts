/**
 * One daemon for the tests of a file, and what most of them need from it.
 */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll } from 'vitest'
import { startTestDaemon, type TestDaemon, type TestDaemonOptions } from '../support/daemon.ts'
import { openStream, post, request, type Reply, type SseReader } from '../support/http.ts'

/** A session as its registration answered. */
export interface Registered {
  readonly name: string
  readonly address: string
  readonly session_id: string
  readonly token: string
  readonly event_id: string
  readonly expires_at: string
}

/** The one thing no request may bring about. */
class DaemonDidNotStay extends Error {
  override readonly name = 'DaemonDidNotStay'
}

export class SharedDaemon {
  #daemon: TestDaemon | undefined

  /** To be called at the top of a test file. */
  constructor(options: TestDaemonOptions = {}) {
    beforeAll(async () => {
      this.#daemon = await startTestDaemon(options)
    })
    afterAll(async () => {
      const daemon = this.#daemon
      if (daemon === undefined) return
      // Whatever the tests of a file do to it, the daemon stays up.
      const exit = await Promise.race([daemon.exited, new Promise((resolve) => setImmediate(resolve))])
      await daemon[Symbol.asyncDispose]()
      if (exit !== undefined) throw new DaemonDidNotStay(daemon.stderr())
    })
  }

  get daemon(): TestDaemon {
    if (this.#daemon === undefined) throw new Error('the daemon is only there while a test runs')
    return this.#daemon
  }

  get socket(): string {
    return this.daemon.socket
  }

  get(path: string, token?: string): Promise<Reply> {
    return request(this.socket, path, token === undefined ? {} : { token })
  }

  post(path: string, json: unknown, token?: string): Promise<Reply> {
    return post(this.socket, path, json, token)
  }

  /** A session of its own for one test, so that tests that share a daemon do not meet. */
  async register(more: Readonly<Record<string, unknown>> = {}): Promise<Registered> {
    const session_id = randomUUID()
    const { status, body } = await this.post('/v1/sessions', {
      instrument: 'cc-opus-4-6',
      session_id,
      ...more,
    })
    if (status !== 201) throw new Error(`registration answered ${status}: ${JSON.stringify(body)}`)
    return body
  }

  /** A stream that is open: frames sent from now on come through it. */
  listen(session?: Registered, query = ''): Promise<SseReader> {
    const target = `/v1/handles/~alice/stream${query}`
    return openStream(this.socket, target, session === undefined ? {} : { token: session.token })
  }

  /** Proof that a stream is quiet: a frame sent now is the next thing on it, and nothing was before. */
  async expectSilence(stream: SseReader, events = 0): Promise<void> {
    const { body } = await this.post('/v1/verbs/agent_broadcast', { text: `probe ${randomUUID()}` })
    const [last] = (await stream.frames(events + 1)).slice(-1)
    if (last?.['frame_id'] !== body.frame_id)
      throw new Error(`the stream was not silent: ${JSON.stringify(last)}`)
  }
}

export const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
export const EVENT_ID = /^[a-z0-9]+-\d+$/
