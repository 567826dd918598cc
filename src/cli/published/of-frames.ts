/**
 * What commands about frames, sessions and what needs the person print, where the daemon's own answer is not it.
 */
import { COUNT, OBJECT, TEXT, YES_OR_NO, listOf, oneOf, orNull, shape, type Schema } from './shape.ts'

const HANDOVER = shape({
  frame_id: TEXT,
  event_id: TEXT,
  from: TEXT,
  previous_session_id: TEXT,
  text: TEXT,
  at: TEXT,
})

const HOLDER = shape({ from: TEXT, session_id: TEXT, since: TEXT })

const ELSEWHERE = shape({ items: COUNT, nodes: listOf(TEXT) })

/** Name → what it is the shape of. */
export const FRAME_SCHEMAS: Readonly<Record<string, Schema>> = {
  'cli-answer': shape({ event_id: TEXT, from: TEXT, text: TEXT, frame: OBJECT }),
  'cli-board': shape({
    handle: TEXT,
    left_out: COUNT,
    entries: listOf(
      shape({
        kind: oneOf('file', 'lease'),
        resource: TEXT,
        from: TEXT,
        name: orNull(TEXT),
        has_left: YES_OR_NO,
        about: orNull(TEXT),
        lease_id: orNull(TEXT),
        frame_id: TEXT,
        since: TEXT,
        until: TEXT,
        'repository?': orNull(TEXT),
        'worktree?': orNull(TEXT),
        'branch?': orNull(TEXT),
      }),
    ),
  }),
  'cli-decided': shape({ event_id: TEXT, recipient_count: COUNT, queued_count: COUNT }),
  'cli-ended': shape({ ended: TEXT }),
  'cli-forget': {
    anyOf: [
      shape({ forgotten: COUNT, would_forget: COUNT, up_to: orNull(TEXT), 'elsewhere?': ELSEWHERE }),
      shape({ forgotten: COUNT }),
    ],
  },
  'cli-locks': shape({
    left_out: COUNT,
    locks: listOf(
      shape({
        lease_id: TEXT,
        resource: TEXT,
        holder: TEXT,
        name: orNull(TEXT),
        node: orNull(TEXT),
        intent: orNull(TEXT),
        since: TEXT,
        until: TEXT,
        left_ms: COUNT,
        is_own: YES_OR_NO,
        has_left: YES_OR_NO,
      }),
    ),
  }),
  'cli-needs-count': shape({ you: COUNT, anyone: COUNT }),
  'cli-passing': {
    anyOf: [
      shape({ type: oneOf('frame'), event_id: TEXT, frame: OBJECT }),
      shape({ type: oneOf('envelope'), event_id: TEXT, envelope: OBJECT }),
      shape({ type: oneOf('gap'), gap: OBJECT }),
    ],
  },
  'cli-resolve': shape({ handle: TEXT, principal: TEXT, sessions: listOf(OBJECT), 'nodes?': listOf(OBJECT) }),
  'cli-roster': shape({
    handle: TEXT,
    sessions: listOf(
      shape({
        address: TEXT,
        'name?': TEXT,
        instrument: TEXT,
        session_id: TEXT,
        tool: TEXT,
        title: orNull(TEXT),
        cwd: orNull(TEXT),
        started_at: TEXT,
      }),
    ),
    'nodes?': listOf(OBJECT),
  }),
  'cli-takeover': {
    anyOf: [
      shape({ state: oneOf('taken'), handover: HANDOVER, 'claim?': OBJECT, 'holder?': HOLDER }),
      shape({ state: oneOf('held'), handover: HANDOVER, holder: HOLDER, 'free?': HANDOVER }),
      shape({ state: oneOf('none'), others: COUNT }),
    ],
  },
}
