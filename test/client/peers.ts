/**
 * What most client tests begin with: a scripted daemon, a clock that stands still, and a client of both.
 */
import { connectWith, type AgentdClient } from '../../src/client/client.ts'
import { AgentdSession } from '../../src/client/session.ts'
import { SHELL_INSTRUMENT, composeFrame } from '../../src/protocol/frame/compose.ts'
import { parseFrame, type Frame } from '../../src/protocol/frame/frame.ts'
import type { Kind } from '../../src/protocol/frame/kinds.ts'
import { SubmissionRequest } from '../../src/protocol/http/submission-requests.ts'
import { encodeFrameEvent } from '../../src/protocol/sse/encoder.ts'
import { FakeDaemon, type Arrival } from '../support/fake-daemon.ts'
import { ManualClock, START_MS } from './manual-clock.ts'

export interface Peers extends AsyncDisposable {
  readonly daemon: FakeDaemon
  readonly clock: ManualClock
  readonly client: AgentdClient
}

/** @param random - the dice of every backoff; 0 waits for nothing */
export async function meet(random: () => number = () => 0): Promise<Peers> {
  const daemon = await FakeDaemon.start()
  const clock = new ManualClock()
  const client = await connectWith({ clock, random }, { socket: daemon.socketPath })
  clock.forget()
  return {
    daemon,
    clock,
    client,
    async [Symbol.asyncDispose]() {
      const closed = client.close()
      await daemon[Symbol.asyncDispose]()
      await closed
    },
  }
}

export const TOKEN = 'a-secret'

/** A registered session `~alice/cc-opus@s1`. */
export async function register({ daemon, client }: Peers): Promise<AgentdSession> {
  const pending = client.session({ instrument: 'cc-opus', sessionId: 's1', tool: 'cc' })
  const arrival = await daemon.next('POST /v1/sessions')
  arrival.answer(201, {
    address: '~alice/cc-opus@s1',
    handle: '~alice',
    instrument: 'cc-opus',
    session_id: 's1',
    tool: 'cc',
    token: TOKEN,
    event_id: 'e1-0',
    expires_at: '2026-11-20T10:30:00.000Z',
  })
  return pending
}

/** A valid frame of any kind; an advisory unless said otherwise. */
export function makeFrame(
  text = 'editing',
  changes: Partial<{ kind: Kind; payload: object; ttlMs: number }> = {},
): Frame {
  const { kind = 'agent_advisory', payload = { advisory_text: text }, ttlMs } = changes
  const author = { senderHandle: '~alice', actedBy: '~alice', draftedWith: SHELL_INSTRUMENT, tool: undefined }
  const draft = { kind, payload: { ...payload }, recipientHandle: '~alice', ttlMs }
  return parseFrame(composeFrame(draft, author, START_MS))
}

export function eventOf(eventId: string, frame: Frame): string {
  return encodeFrameEvent(eventId, JSON.stringify(frame))
}

/** The wrapper of one line that a pipe has sent. */
export function readSubmission(line: string): { frame: Frame; recipient_scope?: string | undefined } {
  return SubmissionRequest.parse(JSON.parse(line))
}

/** One answer line. */
export function resultLine(line: string, changes: Record<string, unknown> = {}): string {
  const reply = {
    frame_id: readSubmission(line).frame.frame_id,
    event_id: 'e1-1',
    recipient_count: 1,
    queued_count: 0,
    ack: 'memory',
    ...changes,
  }
  return `${JSON.stringify(reply)}\n`
}

/** Takes the pipe's request and begins to answer it. */
export async function takePipe(daemon: FakeDaemon): Promise<Arrival> {
  const pipe = await daemon.next('POST /v1/frames')
  pipe.begin('application/x-ndjson')
  pipe.request.on('end', () => pipe.response.end())
  return pipe
}
