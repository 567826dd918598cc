/**
 * The ports of the broker: what its façade hands to those outside, each as narrow as they need it.
 *
 * What is not named here is the broker's own: nobody outside appends to the ring, ends a timer or commits a batch.
 */
import type { InboxReader } from './inbox/inbox.ts'
import type { ReceiptLookup } from './inbox/receipts.ts'
import type { OtherNodes } from './remote/other-nodes.ts'
import type { Counters } from './ring/counters.ts'
import type { Ring } from './ring/ring.ts'
import type { ThreadList } from './ring/thread-list.ts'
import type { Threads } from './ring/thread.ts'
import type { Sessions } from './session/sessions.ts'
import type { Streams } from './streams.ts'
import type { Watchers } from './watch.ts'

/** Who is there: registering, authenticating, visiting and ending. */
export type SessionRegistry = Pick<
  Sessions,
  | 'authenticate'
  | 'open'
  | 'visit'
  | 'close'
  | 'expiresAtMs'
  | 'find'
  | 'findLiving'
  | 'roster'
  | 'count'
  | 'observeEnds'
  | 'present'
  | 'observeChanges'
  | 'all'
  | 'owns'
  | 'waitingCount'
>

/** Streams: how one is opened, and how many there are. */
export type StreamOpener = Pick<Streams, 'requireRoom' | 'requireShare' | 'open' | 'count'>

/** Watches: how one is opened, how many there are, and telling them of what needs the person. */
export type WatchOpener = Pick<Watchers, 'requireRoom' | 'open' | 'count' | 'announceNeed'>

/** Inboxes: that there is one, and waiting for more than nothing; `Broker.drain` empties them. */
export type Inboxes = Pick<InboxReader, 'require' | 'wait'>

/** Receipts: finding what they are of, reading them, waiting for them, and saying what was seen. */
export type Receipts = Pick<
  ReceiptLookup,
  | 'find'
  | 'recall'
  | 'require'
  | 'requireEnvelope'
  | 'describe'
  | 'wait'
  | 'markSeen'
  | 'markSeenInSteps'
  | 'endHandOver'
  | 'noteShown'
>

/** Other nodes: whether there is a link, and who is on them. */
export type Others = Pick<OtherNodes, 'isLinked' | 'nodes' | 'alsoOn' | 'find' | 'ownNodes' | 'isElsewhere'>

/** Workflows: the envelopes of one, a page at a time. */
export type WorkflowReader = Pick<Threads, 'page'>

/** Workflows: which there are, a page at a time. */
export type WorkflowLister = Pick<ThreadList, 'page'>

/** The ring as something to read: where it begins and ends, what it holds, and what its places are called. */
export type RingView = Pick<
  Ring,
  | 'epoch'
  | 'ack'
  | 'firstSeq'
  | 'lastSeq'
  | 'count'
  | 'bytes'
  | 'oldestEventId'
  | 'eventId'
  | 'get'
  | 'read'
  | 'refutationsOf'
  | 'health'
>

/** What the broker has done, as numbers that only it changes. */
export type Figures = Readonly<Omit<Counters, 'accepted' | 'duplicateFrame' | 'duplicateEnvelope'>>
