/**
 * The public names of the package.
 */
export { AgentdError, type ErrorCode } from '../core/errors.ts'
export type { Frame, FrameOf } from '../protocol/frame.ts'
export type { Kind, Payload } from '../protocol/kinds.ts'
export type { Ack, ReceiptState } from '../protocol/replies.ts'
export type { Via } from '../protocol/requests.ts'
export type { Gap, GapReason } from '../protocol/sse.ts'
export type { VerbName } from '../protocol/verbs.ts'
export type { AgentResponse, AskOptions, AskResult, Collect } from './ask.ts'
export { connect, type AgentdClient, type ConnectOptions } from './client.ts'
export { AgentdUnknownAnswer, AgentdUnreachable } from './errors.ts'
export type { DrainOptions, Inbox, WaitOptions } from './inbox.ts'
export type { Lease } from './lease.ts'
export type {
  AdviseOptions,
  BroadcastOptions,
  HandoverOptions,
  LockOptions,
  Message,
  ProvenanceOptions,
  SendOptions,
} from './outgoing.ts'
export type { Participant } from './participant.ts'
export type { ForgetOptions, HistoryOptions, QueryReference, ReceiptOptions } from './participant-options.ts'
export type {
  Drained,
  Health,
  HistoryEntry,
  HistoryPage,
  InboxItem,
  Receipt,
  Receipts,
  Retention,
  RingHealth,
  RosterSession,
  SubmissionResult,
  VerbResult,
} from './results.ts'
export type { AgentdSession, SeenOptions, SessionFacts, SessionOptions } from './session.ts'
export type { AgentdStream } from './stream.ts'
export type {
  FrameItem,
  GapItem,
  InvalidFrame,
  StreamItem,
  StreamOptions,
  VisitorOptions,
} from './stream-options.ts'
