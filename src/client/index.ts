/**
 * The public names of the package.
 */
export { checkConformance as checkEnvelope } from '../aee/conformance.ts'
export type { ConformanceReport, RuleResult } from '../aee/conformance.ts'
export type { DecodedEnvelope, Envelope, EnvelopeType, Priority, Trace } from '../aee/envelope.ts'
export { readKey, type Key, type KeyRing } from '../aee/key.ts'
export type { Reference } from '../aee/references.ts'
export {
  signEnvelope,
  verifyEnvelope,
  type SigObject,
  type SignOptions,
  type VerifyOptions,
} from '../aee/signature.ts'
export { AgentdError, type ErrorCode } from '../core/errors.ts'
export type { Frame, FrameOf } from '../protocol/frame.ts'
export type { Kind, Payload } from '../protocol/kinds.ts'
export type { Ack, ReceiptState } from '../protocol/replies.ts'
export type { Via } from '../protocol/requests.ts'
export type { Gap, GapReason } from '../protocol/sse.ts'
export type { VerbName } from '../protocol/verbs.ts'
export type { AgentResponse, AskOptions, AskResult, Collect } from './ask.ts'
export { connect, type AgentdClient, type ConnectOptions } from './client.ts'
export type { EnvelopeOptions, LogDraft } from './correspondent.ts'
export type { EntityService } from './entity-service.ts'
export {
  EnvelopeHashMismatch,
  EnvelopeTimeout,
  EnvelopeUnheard,
  TaskError,
  type TaskErrorDetails,
} from './envelope-errors.ts'
export type { EnvelopeRequest, RequestOptions, TaskDraft } from './envelope-request.ts'
export type {
  ComposedEnvelope,
  EnvelopeReceipts,
  EnvelopeRefutation,
  EnvelopeWarning,
  SentEnvelope,
  Thread,
  ThreadEnvelope,
} from './envelope-results.ts'
export { AgentdUnknownAnswer, AgentdUnreachable } from './errors.ts'
export type { DrainOptions, Inbox, WaitOptions } from './inbox.ts'
export type { Drained, InboxEnvelope, InboxFrame, InboxItem } from './inbox-results.ts'
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
export type { EnvelopeDraft } from './outgoing-envelope.ts'
export type { Participant } from './participant.ts'
export type { ForgetOptions, HistoryOptions, QueryReference, ReceiptOptions } from './participant-options.ts'
export type {
  Health,
  HistoryEntry,
  HistoryPage,
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
  EnvelopeItem,
  FrameItem,
  GapItem,
  InvalidFrame,
  StreamItem,
  StreamOptions,
  VisitorOptions,
} from './stream-options.ts'
export type {
  Payload as TaskPayload,
  ServeOptions,
  TaskContext,
  TaskHandler,
  TaskHandlers,
} from './task-handler.ts'
