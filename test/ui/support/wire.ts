/**
 * What a watch says, made up for the tests of the seat: as the wire has it, with everything that a test does not speak of
 * filled in.
 */
import { readWatchEvent, type WatchEvent } from '../../../src/ui/seat/watch-event.ts'

/** Midday, so that a few hours before and behind it are the same day everywhere. */
export const NOON_MS = Date.parse('2026-11-22T12:00:00Z')

/** As the wire writes it. */
export const iso = (ms: number): string => new Date(ms).toISOString()

type Members = Readonly<Record<string, unknown>>

/** A roster entry. */
export function session(address: string, more: Members = {}): Members {
  const [instrument = '', sessionId = ''] = address.slice(address.indexOf('/') + 1).split('@')
  return {
    address,
    instrument,
    session_id: sessionId,
    tool: 'cc',
    title: null,
    cwd: null,
    repository: null,
    worktree: null,
    branch: null,
    activity: null,
    started_at: iso(NOON_MS - 600_000),
    last_seen_at: iso(NOON_MS),
    subscriptions: 1,
    mailbox: null,
    ...more,
  }
}

/** An open question to the person. */
export function need(needId: string, more: Members = {}): Members {
  return {
    need_id: needId,
    type: 'question',
    addressed: 'you',
    event_id: 'e1-1',
    asked_at: iso(NOON_MS - 60_000),
    until: iso(NOON_MS + 3_600_000),
    state: 'open',
    from: { address: '~alice/cc@s1', title: 'api', repository: '/r/.git', branch: 'main', present: true },
    text: 'May I?',
    ...more,
  }
}

/** The frame of a decision. */
export function decisionFrame(question: Members = {}): Members {
  return {
    frame_id: '7f0c0b5e-0000-4000-8000-000000000001',
    kind: 'agent_binding_moment',
    sender_handle: '~alice',
    created_at: iso(NOON_MS),
    payload: {
      synopsis: 'The migration drops a column that mobile still reads',
      findings: ['users.legacy_name is read by mobile 4.2'],
      recommendations: ['Wait one release'],
      offer: 'I can keep it.',
      question: {
        stem: 'What shall I do with it?',
        options: [
          { label: 'Keep it one release', reasoning: 'safe' },
          { label: 'Drop it now', reasoning: 'quick' },
          { label: 'Make it a view', reasoning: 'both' },
        ],
        recommended_idx: 0,
        ...question,
      },
    },
  }
}

/** A frame that says something about files. */
export function advisory(sender: string, files: readonly string[], more: Members = {}): Members {
  const { text = `editing ${files.join(', ')}`, atMs = NOON_MS, ...payload } = more
  return {
    sender,
    scope: '~alice/*',
    accepted_at: iso(Number(atMs)),
    recipient_count: 2,
    queued_count: 1,
    frame: {
      frame_id: `frame-${sender}-${files.join()}-${String(atMs)}`,
      kind: 'agent_advisory',
      sender_handle: '~alice',
      recipient_handle: '~alice',
      created_at: iso(Number(atMs)),
      payload: { advisory_text: text, file_refs: files, ...payload },
    },
  }
}

/** A snapshot of one's own. */
export function snapshot(more: Members = {}): Members {
  return { event_id: 'e1-0', principal: '~alice', sessions: [], needs: [], health: {}, ...more }
}

/** The event as a program reads it. @throws Error for one that cannot be read */
export function read(name: string, data: unknown, eventId?: string): WatchEvent {
  const event = readWatchEvent(`agentd_${name}`, data, eventId)
  if (event === undefined) throw new Error(`${name} was not read`)
  return event
}
