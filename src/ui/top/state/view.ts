/**
 * How the person looks at the seat from a terminal: which screen, what is chosen, what is open, what is being typed.
 *
 * @see SEAT-38; docs/ui.md "In a terminal"
 */
import type { JsonObject } from '../../../core/text/json-object.ts'
import type { NeedAnswer } from '../../seat/needs/answers.ts'
import type { Composed } from '../../seat/needs/compose.ts'
import { EVERY_ROW, type RowFilter } from '../../seat/passing/row-filter.ts'
import type { ThreadLine } from '../../seat/threads/thread-list.ts'
import type { ThreadView } from '../../seat/threads/thread-view.ts'
import type { Field } from './field.ts'

/** The screens. */
export type Screen = 'now' | 'passing' | 'threads'

/** What stands over a screen. */
export type Panel =
  | { readonly name: 'help' }
  /** `item`: what it came as, where that was too large to be told with it; undefined until it is there. */
  | {
      readonly name: 'need'
      readonly needId: string
      readonly item: JsonObject | undefined
      /** Of an approval: whether the answer would be signed; undefined as long as that is not known. */
      readonly willSign: boolean | undefined
    }
  | { readonly name: 'session'; readonly address: string }
  /** `item`: as `GET /v1/events/{event_id}` answered; undefined until it has. */
  | { readonly name: 'item'; readonly eventId: string; readonly item: JsonObject | undefined }
  /** `thread`: undefined until it has been read. */
  | { readonly name: 'thread'; readonly corr: string; readonly thread: ThreadView | undefined }
  | { readonly name: 'compose'; readonly verb: Composed['verb']; readonly scope: string | undefined }

/** What is being typed. */
export interface Writing {
  readonly what: 'answer' | 'other' | 'revise' | 'to' | 'text' | 'filter'
  /** What the person is to type, in words. */
  readonly label: string
  readonly field: Field
  /** Whether Enter and Alt+Enter mean the same. */
  readonly isOneLine: boolean
}

/** What waits for the second key (SEAT-30). */
export interface Asked {
  readonly needId: string
  readonly answer: NeedAnswer
  /** As the second key is asked for: `choose 1`. */
  readonly what: string
}

/** What is told below the screen. */
export interface Notice {
  readonly says: string
  readonly isTrouble: boolean
  /** Of something that was sent: who has seen it stands behind the words. */
  readonly eventId: string | undefined
}

/** How what passes is looked at. */
export interface PassingView {
  readonly filter: RowFilter
  readonly isFollowing: boolean
  /** The place behind the last row that is shown; undefined while rows come in. */
  readonly pausedAt: number | undefined
  /** The place of the chosen row. */
  readonly chosen: number | undefined
}

/** The workflows, as they were read last. */
export interface ThreadsView {
  /** Undefined before the first answer. */
  readonly lines: readonly ThreadLine[] | undefined
  /** The `corr` of the chosen one. */
  readonly chosen: string | undefined
  /** Of the model when it was asked for. */
  readonly version: number
}

/** All of it. */
export interface View {
  readonly screen: Screen
  readonly panel: Panel | undefined
  /** Of the screen "now": the id of a need, or the address of a session. */
  readonly chosen: string | undefined
  /** Lines of the panel above those that are shown. */
  readonly scroll: number
  readonly passing: PassingView
  readonly threads: ThreadsView
  readonly writing: Writing | undefined
  readonly asked: Asked | undefined
  readonly notice: Notice | undefined
  /** Whether an answer of the daemon is waited for. */
  readonly isBusy: boolean
}

/** As the seat is opened. */
export const FIRST_VIEW: View = {
  screen: 'now',
  panel: undefined,
  chosen: undefined,
  scroll: 0,
  passing: { filter: EVERY_ROW, isFollowing: true, pausedAt: undefined, chosen: undefined },
  threads: { lines: undefined, chosen: undefined, version: 0 },
  writing: undefined,
  asked: undefined,
  notice: undefined,
  isBusy: false,
}
