/**
 * A frame as far as it is routed by: what it says of itself, and its payload only of the kinds whose payload is looked into
 * on the way.
 */
import type { FrameMembers, FrameOfKind } from './frame-members.ts'
import type { Kind } from './kinds.ts'

/** Kinds whose payload says where they go, or for how long. */
export type ReadKind = 'agent_query' | 'agent_response' | 'intent_declare'

type Said =
  | 'frame_id'
  | 'sender_handle'
  | 'recipient_handle'
  | 'created_at'
  | 'ttl_ms'
  | 'acted_by'
  | 'drafted_with'

/** Of every other kind, what is said around its payload. */
export interface PlainHead extends Pick<FrameMembers, Said> {
  readonly kind: Exclude<Kind, ReadKind>
}

/** Any frame is one. */
export type FrameHead = { [One in ReadKind]: FrameOfKind<One> }[ReadKind] | PlainHead
