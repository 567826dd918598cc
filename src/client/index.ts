/**
 * The public names of the client. What signs and checks envelopes is beside it, in `aee.ts`.
 */
export type { DecodedEnvelope, Envelope, EnvelopeType, Priority, Trace } from '../aee/envelope/envelope.ts'
export type { Key, KeyRing } from '../aee/keys/key.ts'
export type { SigObject } from '../aee/keys/signature.ts'
export type { Reference } from '../aee/thread/references.ts'
export {
  AgentdError as AgentdRefusal,
  Failure as AgentdError,
  UsageError,
  type ErrorCode,
} from '../core/errors.ts'
export { HostRefusal } from '../host/files/refusal.ts'
export type { Frame, FrameOf } from '../protocol/frame/frame.ts'
export type { Kind, Payload } from '../protocol/frame/kinds.ts'
export type { Ack, ReceiptState } from '../protocol/http/frame-replies.ts'
export type { Via } from '../protocol/http/requests.ts'
export type { ActivityState, Delivery, WaitingReason } from '../protocol/http/session-replies.ts'
export { formatDecision, readDecision, type Decision } from '../protocol/decision.ts'
export type { NeedClosing, NeedType } from '../protocol/http/need.ts'
export type { Gap, GapReason } from '../protocol/sse/encoder.ts'
export type { VerbName } from '../protocol/verb/verbs.ts'
export type { AgentdClient } from './client.ts'
export { connect, type ConnectOptions } from './connect.ts'
export type { CallOptions } from './http/call-options.ts'
export type { AskOptions, Collect } from './question.ts'
export type { AgentResponse, AskResult, Dismissal } from './reply/ask-results.ts'
export type { EnvelopeOptions, LogDraft } from './envelopes/correspondent.ts'
export { approveBy, type ApproveOptions } from './service/approve-by.ts'
export type { EntityService } from './service/entity-service.ts'
export {
  EnvelopeHashMismatch,
  EnvelopeTimeout,
  EnvelopeUnheard,
  TaskError,
  type TaskErrorDetails,
} from './envelopes/errors.ts'
export type { EnvelopeRequest, RequestOptions, TaskDraft } from './envelopes/request.ts'
export type {
  ComposedEnvelope,
  EnvelopeReceipts,
  EnvelopeRefutation,
  SentEnvelope,
  Thread,
  ThreadEnvelope,
  ThreadPage,
  ThreadSummary,
} from './reply/envelope-results.ts'
export { AgentdUnknownAnswer, AgentdUnreachable } from './http/errors.ts'
export type { DrainOptions, Inbox, WaitOptions } from './inbox.ts'
export type { Drained, InboxEnvelope, InboxFrame, InboxItem } from './reply/inbox-results.ts'
export type { Lease } from './lease.ts'
export type { HeldLease } from './reading/leases.ts'
export type { NeedCounts, NeedSource, PersonNeed, PersonNeeds, Summary } from './reply/need-results.ts'
export type {
  AdviseOptions,
  BroadcastOptions,
  HandoverOptions,
  LockOptions,
  Message,
  ProvenanceOptions,
  SendOptions,
  UnlockOptions,
} from './outgoing.ts'
export type { EnvelopeDraft } from './envelopes/outgoing-envelope.ts'
export type { Participant } from './participant.ts'
export type {
  Forgettable,
  ForgetOptions,
  HistoryOptions,
  QueryReference,
  ReceiptOptions,
  ThreadsOptions,
} from './envelopes/participant-options.ts'
export type { Health, Retention, RingHealth } from './reply/health-results.ts'
export type {
  HistoryEntry,
  HistoryPage,
  NearSession,
  Receipt,
  Receipts,
  RemoteReach,
  SubmissionResult,
  VerbResult,
  Warning,
} from './reply/results.ts'
export type {
  RemoteSession,
  RosterNode,
  RosterPage,
  RosterSession,
  SessionActivity,
} from './reply/roster-results.ts'
export type { RosterOptions } from './reading/roster.ts'
export type { ActivityOptions, AgentdSession, SeenOptions, SessionFacts, SessionOptions } from './session.ts'
export type { AgentdStream } from './stream/stream.ts'
export type { AgentdWatch } from './stream/watch.ts'
export type {
  NeedItem,
  PassedEnvelope,
  PassedFrame,
  PassedOrigin,
  ForgottenItem,
  ReceiptItem,
  SessionItem,
  SnapshotItem,
  WatchedNeed,
  WatchEvent,
  WatchItem,
  WatchOptions,
} from './stream/watch-items.ts'
export type {
  EnvelopeItem,
  FrameItem,
  GapItem,
  InvalidFrame,
  ResumeOptions,
  StreamItem,
  StreamOptions,
  VisitorOptions,
} from './stream/options.ts'
export type { FoundHandover, HandoverHolder, TakeOver } from './reply/handover-results.ts'
export type { TakeOverOptions } from './takeover.ts'
export type {
  TaskPayload,
  ApprovalContext,
  ServeOptions,
  TaskContext,
  TaskHandler,
  TaskHandlers,
} from './service/task-handler.ts'
