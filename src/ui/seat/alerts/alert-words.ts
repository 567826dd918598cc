/**
 * What the person is told of a need, away from the page: who asks and for what kind of answer, and the question in a line.
 *
 * Everything in it is text that shows all that is in it; whoever says it may have more to escape, by the rules of where it
 * is said.
 *
 * @see SEAT-28, SEAT-42
 */
import { clip } from '../../../core/text/clip.ts'
import type { SeatNeed } from '../needs/need.ts'
import { visibleText } from '../text/visible-text.ts'
import { askerName, NEED_NAMES, needYouWords } from '../words.ts'

/** One thing to tell the person. */
export interface NeedAlert {
  /** What takes its place or takes it back names it by this. */
  readonly key: string
  /** The need it is about; undefined for one that is about several. */
  readonly needId: string | undefined
  /** `cc-opus@s1 · decision`, `3 need you`; on one line. */
  readonly title: string
  /** On one line, of {@link MAX_BODY_CHARACTERS} at the most. */
  readonly body: string
  /** Whether it only says less than before, so that nobody has to be called. */
  readonly isQuiet: boolean
}

/** UTF-16 code units of the line below a title (SEAT-42). */
export const MAX_BODY_CHARACTERS = 140

/** Of who asks, in a title; a name is shorter. */
const MAX_NAME_CHARACTERS = 64

/** What stands for the end of a line: several would look like several messages. */
const NEXT_LINE = ' ↵ '

/** The name of the one alert that is about several needs. */
export const TOGETHER = 'together'

/** What is said of one need. */
export function alertOf(key: string, need: SeatNeed): NeedAlert {
  const title = `${shorten(askerName(need), MAX_NAME_CHARACTERS)} · ${NEED_NAMES[need.type].toLowerCase()}`
  const body = shorten(need.text, MAX_BODY_CHARACTERS)
  return { key, needId: need.needId, title, body, isQuiet: false }
}

/** What is said of several at once: how many, and who asks. */
export function alertOfSeveral(needs: readonly SeatNeed[], isQuiet: boolean): NeedAlert {
  const body = shorten([...new Set(needs.map(askerName))].join(', '), MAX_BODY_CHARACTERS)
  return { key: TOGETHER, needId: undefined, title: needYouWords(needs.length), body, isQuiet }
}

/** What is said of something that passed: who says what kind of thing, and what, of any length and from anybody. */
export function wordsOfPassed(said: {
  readonly who: string
  readonly label: string
  readonly text: string
}): Pick<NeedAlert, 'title' | 'body'> {
  const title = `${shorten(said.who, MAX_NAME_CHARACTERS)} · ${shorten(said.label, MAX_NAME_CHARACTERS)}`
  return { title, body: shorten(said.text, MAX_BODY_CHARACTERS) }
}

/** An alert on one line, for where there is nothing but a line: `cc-opus@s1 · decision: The migration drops …` */
export function alertLine({ title, body }: NeedAlert): string {
  return body === '' ? title : `${title}: ${body}`
}

/** What a window or a tab is called: `agentd`, `(2) agentd`. @param you - needs for the person alone */
export function titleWords(you: number): string {
  return you === 0 ? 'agentd' : `(${you}) agentd`
}

/** The text as anybody may see it, on one line, and no longer than that with the ellipsis. */
function shorten(text: string, most: number): string {
  const line = text.trim().replaceAll(/[ \t]*\r?\n\s*/g, NEXT_LINE)
  return clip(visibleText(line), most - 1)
}
