/**
 * Frames for torture: valid, small, each with an id of its own.
 */
import { randomUUID } from 'node:crypto'

/** A broadcast from `~alice` to all her sessions. */
export function makeFrame({ text = 'torture', handle = '~alice', ...members } = {}) {
  return {
    envelope_version: '1.0',
    frame_id: randomUUID(),
    kind: 'agent_broadcast',
    sender_handle: handle,
    recipient_handle: handle,
    created_at: new Date().toISOString(),
    payload: { broadcast_text: text, event_class: 'other' },
    acted_by: handle,
    drafted_with: '~cc-opus-4-6',
    provenance_compute_location: 'server-active',
    provenance_method: ['session-context'],
    provenance_context_check: 'passed',
    provenance_basis: 'torture',
    ...members,
  }
}
