/**
 * What comes of a question: its answers, and how it ended.
 *
 * @see memo §5 "agent_query", "agent_return_event"; PD-01, SEAT-12
 */
import type { FrameOf } from '../../protocol/frame/frame.ts'
import type { RemoteReach } from './results.ts'

/** One answer. */
export interface AgentResponse {
  /** Its place in the daemon's one sequence. */
  readonly eventId: string
  /** The answer, in words. */
  readonly text: string
  /** Address of the recipient that answered; its handle, when it was none of the known recipients. */
  readonly from: string
  /** The answer as it came. */
  readonly frame: FrameOf<'agent_response'>
}

/** A word that no answer comes, or no further one. */
export interface Dismissal {
  /** Its place in the daemon's one sequence. */
  readonly eventId: string
  /** Why, in the words of whoever says so. */
  readonly summary: string
  /** The word as it came. */
  readonly frame: FrameOf<'agent_return_event'>
}

/** What came of a question. */
export interface AskResult {
  /**
   * `no-listener`: nobody but the asker was reached, here or on another node; with `agentsOnly` nobody but terminals, which
   * then are the `recipients`. `deadline`: the time was over before the first answer,
   * or with `collect: 'all'` before the last. `dismissed`: somebody closed the question before that (SEAT-12).
   * `answered`: everything that was waited for came.
   */
  readonly outcome: 'answered' | 'no-listener' | 'deadline' | 'dismissed'
  /** What answers name the question by, a version-4 UUID. */
  readonly queryId: string
  /** The answers, in the order they came. */
  readonly responses: readonly AgentResponse[]
  /** What closed the question before everything that was waited for had come. */
  readonly dismissal: Dismissal | undefined
  /** False: the time was over before the daemon said that it has the question, so it may not have been asked at all. */
  readonly isTaken: boolean
  /** Live subscriptions the question was emitted to, the asker's own included. */
  readonly recipientCount: number
  /** Mailboxes in which it waits. */
  readonly queuedCount: number
  /** Whom it names on other nodes; undefined without a link. Nodes that are away get it when they are back (FED-53). */
  readonly remote?: RemoteReach | undefined
  /** Addresses the question reached or waits for, the asker's own left out. */
  readonly recipients: readonly string[]
}
