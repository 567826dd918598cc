/**
 * What is known of where arrived frames came from, as a port: marks, cursors, holes, and reports both ways.
 *
 * Everything that belongs to a batch is written in the transaction of its frames (FED-05, FED-27): a batch that is
 * brought again, however much later, finds its marks and does nothing.
 *
 * @see design of the link; FED-05, FED-25…FED-29, FED-52
 */

/** Lane → epoch of its origin → the highest of its sequence numbers that was applied here. */
export type Marks = ReadonlyMap<string, ReadonlyMap<string, number>>

/** How far a realm's stream has been read: the engine's number, and whose batch stood there (FED-26). */
export interface LinkCursor {
  readonly seq: number
  readonly node: string
  /** What tells that batch from another one of its node; whoever brings it says it. */
  readonly last: string | null
}

/** What the engine has acknowledged of our own lane, and of which stream that was (FED-21). */
export interface Acked {
  readonly last: string | null
  /** The number of the last report that went with it. */
  readonly reports: number
  readonly streamCreated: string
  readonly streamSeq: number
}

/** What is told of a frame at a recipient on another node (FED-52). */
export type ReportState = 'emitted' | 'queued' | 'handed' | 'seen' | 'expired' | 'refused' | 'dropped'

/**
 * One line of a report: the frame's id or `aee:` and the envelope's; the recipient's address, `''` where it was refused; when
 * by the wall clock of the node that says so; how it was shown, or the code it was refused with.
 */
export type ReportItem = readonly [
  id: string,
  address: string,
  state: ReportState,
  atMs: number,
  detail?: string,
]

/**
 * Stands for a node where what waits is no report: of such an item the id alone counts, and whatever it names is to be
 * forgotten on every other node of the person's (FED-33). It waits, goes out in order and is acknowledged as reports are.
 */
export const FORGOTTEN_EVERYWHERE = ''

/** What may be forgotten everywhere at once: of what may wait it leaves most to reports. */
export const MAX_FORGOTTEN_EVERYWHERE = 16_384

/** A report on its way out. Its number is never used again on this machine. */
export interface NumberedReport {
  readonly n: number
  readonly item: ReportItem
  /** The node whose frame it is about. */
  readonly node: string
}

/** Reports about frames of one node of a realm, in order. */
export interface ReportsTo {
  /** Where they wait: the stream key of the lane that they leave in. */
  readonly realm: string
  readonly node: string
  readonly items: readonly ReportItem[]
}

/** What another node says of a frame that was accepted here first, by the place it has here. */
export interface RemoteReceipt {
  readonly seq: number
  readonly node: string
  readonly address: string
  readonly state: ReportState
  /** By that node's wall clock, in milliseconds. */
  readonly atMs: number
  readonly detail: string | undefined
}

/** Part of a lane that never came, and nobody has any more (FED-28). */
export interface MissingRange {
  /** The last event of that lane that is here; null where none is known. */
  readonly from: string | null
  /** The last that is missing. */
  readonly to: string
}

/** A hole, and where in our own sequence it is: what was read past that place was read past the hole. */
export interface Hole extends MissingRange {
  /** Counts up over the life of the store; what a mailbox has been told is everything below one. */
  readonly n: number
  /** The newest place when it was found. */
  readonly afterSeq: number
  readonly realm: string
  readonly lane: string
  readonly node: string
}

/** What one batch of a lane leaves behind, besides its frames. */
export interface Arrival {
  readonly realm: string
  readonly lane: string
  readonly node: string
  /** Of the events of the lane that count as known now, the newest of each epoch. */
  readonly marks: ReadonlyMap<string, number>
  /** Absent while more of the batch is still to come. */
  readonly cursor?: LinkCursor | undefined
  /** The stream key that the cursor is kept under; absent: the realm. */
  readonly cursorKey?: string | undefined
  readonly hole?: MissingRange | undefined
  readonly receipts: readonly RemoteReceipt[]
  readonly reports: ReportsTo
}

/** Reports that wait for the hub, of one realm. The oldest make room, and are counted. */
export const MAX_REPORTS = 65_536

/** Holes that are remembered; two of one lane become one before any is forgotten. */
export const MAX_HOLES = 1_024

/** Epochs of one lane that are remembered: a new one only comes when an origin's store lost its end. */
export const MAX_EPOCHS = 64

/**
 * What the broker, and whoever reads and writes the lanes, ask.
 *
 * A cursor, an acknowledgement and reports that wait are kept under a stream key: the realm itself where it has one lane of
 * ours and one reading, as a person's own has; else the realm, a space, and a word for whom the lane is. Marks are kept
 * under the realm, since every lane has its own.
 */
export interface Origins {
  /** Whether nothing ever came from elsewhere: then no place has an origin. */
  readonly isEmpty: boolean
  /** Whether it outlives the daemon; without that a reader begins at the end (FED-34). */
  readonly isDurable: boolean
  marksOf(realm: string): Marks
  cursorOf(streamKey: string): LinkCursor | undefined
  ackedOf(streamKey: string): Acked | undefined
  /** Reports up to the number it names are on the hub, and forgotten here. */
  setAcked(streamKey: string, acked: Acked): void
  /** Reports that wait behind a number, in order. */
  reportsAfter(streamKey: string, n: number, limit: number): readonly NumberedReport[]
  /**
   * Has more of them wait. What the disk refuses is lost, and logged.
   *
   * @param beside - writes down what they tell of: in the same transaction, where there is a disk
   */
  report(reports: readonly ReportsTo[], beside?: () => void): void
  /** Calls back when reports have come to wait, until the returned function is called. */
  onReports(told: () => void): () => void
  /** Reports that had to make room before they were sent. */
  readonly reportsLost: number
  /** Everything about a realm that is left: marks, cursors, acknowledgements, reports, of all its lanes. Frames stay. */
  forgetRealm(realm: string): void
  /** Holes from a number on, in order. */
  holesFrom(n: number): readonly Hole[]
  /** The number that the next hole gets. */
  readonly nextHole: number
}

/** What nothing has ever come to: a ring of a daemon without links. */
export const NO_MARKS: Marks = new Map()
