/**
 * How the person looks at the seat from a terminal: which screen, what is chosen, what is open, what is being typed.
 *
 * @see SEAT-38; docs/ui.md "In a terminal"
 */
import type { JsonObject } from '../../../core/text/json-object.ts'
import type { NeedAnswer } from '../../seat/needs/answers.ts'
import type { Composed } from '../../seat/needs/compose.ts'
import type { Forgettable, ForgetChoice } from '../../seat/passing/forgetting.ts'
import { EVERY_ROW, type RowFilter } from '../../seat/passing/row-filter.ts'
import type { ThreadLine } from '../../seat/threads/thread-list.ts'
import type { ThreadView } from '../../seat/threads/thread-view.ts'
import type { Field } from './field.ts'

/** The screens. */
export type Screen = 'now' | 'passing' | 'threads'

/** How a workflow is drawn: by what answers what, by who is in it, or as the text of a diagram. */
export type ThreadShape = 'tree' | 'sequence' | 'mermaid'

const SHAPE_AFTER: Readonly<Record<ThreadShape, ThreadShape>> = {
  tree: 'sequence',
  sequence: 'mermaid',
  mermaid: 'tree',
}

/** The next way to draw it. */
export function shapeAfter(shape: ThreadShape): ThreadShape {
  return SHAPE_AFTER[shape]
}

/** One item in full. */
export interface ItemPanel {
  readonly name: 'item'
  readonly eventId: string
  /** As `GET /v1/events/{event_id}` answered; undefined until it has. */
  readonly item: JsonObject | undefined
}

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
  | ItemPanel
  /** `thread`: undefined until it has been read. */
  | {
      readonly name: 'thread'
      readonly corr: string
      readonly thread: ThreadView | undefined
      readonly shape: ThreadShape
    }
  | {
      readonly name: 'compose'
      readonly verb: Composed['verb']
      readonly scope: string | undefined
      /** What it is about, as typed. */
      readonly files: readonly string[]
    }
  /** What of it is forgotten; `item`: where it goes back to, `chosen`: the place among the choices. */
  | {
      readonly name: 'forget'
      readonly item: ItemPanel
      readonly choices: readonly ForgetChoice[]
      readonly chosen: number
    }

/** What is being typed. */
export interface Writing {
  readonly what: 'answer' | 'other' | 'revise' | 'note' | 'to' | 'text' | 'files' | 'filter'
  /** What the person is to type, in words. */
  readonly label: string
  readonly field: Field
  /** Whether Enter and Alt+Enter mean the same. */
  readonly isOneLine: boolean
}

/** What waits for the second key (SEAT-30). */
export interface Asked {
  /** As the second key is asked for: `choose 1`. */
  readonly what: string
  readonly does:
    | { readonly by: 'answer'; readonly answer: NeedAnswer }
    | { readonly by: 'forget'; readonly which: Forgettable }
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
