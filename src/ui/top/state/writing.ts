/**
 * What a field is for, and what is done with it when it is done.
 *
 * @see SEAT-21, SEAT-30
 */
import { aroundOptions } from '../../seat/needs/decision.ts'
import { chooseRecipient, keepFiles, sendComposed, writeFiles } from './composing.ts'
import type { KeyPress } from './key-press.ts'
import type { TopSeat } from './top-seat.ts'
import { typeInto } from './typing.ts'
import type { Asked, Writing } from './view.ts'

/** A key while something is typed. */
export function pressInField(seat: TopSeat, writing: Writing, press: KeyPress): void {
  // What is on its way stays as it was sent.
  if (seat.view.isBusy) return undefined
  const typed = typeInto(writing.field, press, writing.isOneLine)
  switch (typed.kind) {
    case 'text':
      seat.keep(writing, typed.field)
      return writing.what === 'filter' ? applyFilter(seat, typed.field.text) : undefined
    case 'left':
      return leave(seat, writing)
    case 'editor':
      return void seat.edit(writing)
    case 'beside':
      return writing.what === 'files' ? keepFiles(seat, writing) : writeFiles(seat, writing)
    case 'done':
    default:
      return void finish(seat, writing)
  }
}

/** A word with the yes or the no that waits for its second key. */
export function beginNote(seat: TopSeat, { does }: Asked): void {
  if (does.by !== 'answer' || does.answer.by !== 'verdict') return
  seat.write({ what: 'note', label: 'Note', isOneLine: false })
}

/** Where a text was typed its panel goes too: without the field it shows nothing to do. */
function leave(seat: TopSeat, writing: Writing): void {
  const { what } = writing
  if (what === 'files') return keepFiles(seat, writing)
  const isCompose = what === 'to' || what === 'text'
  seat.look({ writing: undefined, notice: undefined, ...(isCompose && { panel: undefined }) })
}

async function finish(seat: TopSeat, writing: Writing): Promise<void> {
  const text = writing.field.text.trim()
  switch (writing.what) {
    case 'filter':
      return seat.look({ writing: undefined })
    case 'to':
      return chooseRecipient(seat, writing)
    case 'text':
      return text === '' ? undefined : sendComposed(seat, writing)
    case 'files':
      return keepFiles(seat, writing)
    case 'note':
      return sendNoted(seat, text)
    case 'other':
    case 'revise':
      return text === ''
        ? undefined
        : seat.answer({ by: 'decision', decision: aroundOptions(writing.what, writing.field.text) })
    case 'answer':
    default:
      return text === '' ? undefined : seat.answer({ by: 'text', text: writing.field.text })
  }
}

/** With an empty note as without one. What was settled meanwhile says so on its card, and nothing is sent. */
async function sendNoted(seat: TopSeat, note: string): Promise<void> {
  const does = seat.view.asked?.does
  if (does?.by !== 'answer' || does.answer.by !== 'verdict') return seat.look({ writing: undefined })
  return seat.answer({ ...does.answer, note })
}

function applyFilter(seat: TopSeat, words: string): void {
  const { passing } = seat.view
  seat.look({ passing: { ...passing, filter: { ...passing.filter, words } } })
}
