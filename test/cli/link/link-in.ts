/**
 * A link as a daemon tells it, well unless a test says otherwise.
 */
import type { LinkReply } from '../../../src/protocol/http/links-reply.ts'

/** Three minutes before the tests' now. */
const SINCE = Date.parse('2026-11-23T11:57:00Z')

export function linkIn(changes: Partial<LinkReply> = {}): LinkReply {
  const figures = {
    records_out: 0,
    records_in: 0,
    repeats: 0,
    refused: 0,
    skipped: 0,
    holes: 0,
    gaps: 0,
    reconnects: 0,
  }
  return {
    name: 'home',
    realm: 'p.alice',
    node: 'laptop',
    state: 'up',
    why: null,
    since_ms: SINCE,
    what_leaves: 'frames of every kind; who is here (full)',
    waiting: 0,
    lag_ms: 0,
    behind: 0,
    behind_ms: 0,
    lanes: [{ lane: 'agentd.v1.p.alice.f.laptop', for: 'f', waiting: 0, lag_ms: 0 }],
    readings: [{ filter: 'agentd.v1.p.alice.f.>', for: 'f', behind: 0, behind_ms: 0 }],
    server: '2.9.10',
    max_payload: 2_097_152,
    authority_epoch: 1,
    is_durable: true,
    nodes: [],
    figures,
    ...changes,
  }
}
