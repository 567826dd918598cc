/** Frames about files and leases, as a test says them and as a receiver has them. */
import { Board, type BoardParts } from '../../../src/protocol/board/board.ts'
import type { PassingFrame } from '../../../src/protocol/board/board-frame.ts'

/** A moment from which tests count. */
export const START_MS = Date.parse('2026-11-20T08:00:00.000Z')

/** What somebody says. */
export interface Said {
  readonly kind: string
  readonly sender: string | null
  readonly atMs: number
  readonly payload: Readonly<Record<string, unknown>>
  /** Of the frame, not of a lease. */
  readonly ttlMs?: number
}

/** An advisory about files. */
export function advises(
  sender: string | null,
  refs: readonly string[],
  more: { readonly atMs?: number; readonly ttlMs?: number; readonly worktree?: string } = {},
): Said {
  const { atMs = START_MS, worktree, ...rest } = more
  const payload = { advisory_text: 'at work', file_refs: refs, ...(worktree !== undefined && { worktree }) }
  return { kind: 'agent_advisory', sender, atMs, payload, ...rest }
}

/** A lock request. */
export function asks(
  sender: string | null,
  leaseId: string,
  more: { readonly atMs?: number; readonly ttlMs?: number; readonly resource?: string } = {},
): Said {
  const { atMs = START_MS, ttlMs = 60_000, resource = 'src/a.ts' } = more
  return {
    kind: 'agent_lock_request',
    sender,
    atMs,
    payload: { lease_id: leaseId, resource, ttl_ms: ttlMs },
  }
}

/** An extension of a lease. */
export function lengthens(
  sender: string | null,
  leaseId: string,
  additionalMs: number,
  atMs = START_MS,
): Said {
  const payload = { lease_id: leaseId, additional_ttl_ms: additionalMs }
  return { kind: 'agent_lease_extend', sender, atMs, payload }
}

/** A release. */
export function releases(sender: string | null, leaseId: string, atMs = START_MS): Said {
  return { kind: 'agent_lock_release', sender, atMs, payload: { lease_id: leaseId } }
}

/** What was said, as a receiver has it; `place` tells it from others. */
export function passing({ kind, sender, atMs, payload, ttlMs }: Said, place: number): PassingFrame {
  const frame = {
    frame_id: `frame-${place}`,
    kind,
    created_at: new Date(atMs).toISOString(),
    sender_handle: '~alice',
    drafted_with: sender === null ? '~agentd-cli' : '~cc',
    payload,
    ...(ttlMs !== undefined && { ttl_ms: ttlMs }),
  }
  return { sender, acceptedAtMs: atMs, frame }
}

/** A board on which all of this was said, looked at when the last of it was, or later. */
export function boardOf(
  said: readonly Said[],
  more: Partial<BoardParts> & { readonly nowMs?: number } = {},
): Board {
  const { nowMs = Math.max(START_MS, ...said.map(({ atMs }) => atMs)), ...parts } = more
  const time = { nowMs: START_MS }
  const board = new Board({ clock: { nowMs: () => time.nowMs }, carriesOn: () => false, ...parts })
  said.forEach((one, place) => {
    time.nowMs = Math.max(time.nowMs, one.atMs)
    board.observe(passing(one, place))
  })
  time.nowMs = nowMs
  return board
}
