/**
 * Text that is being typed, and the place in it.
 */
import { segmentsOf } from '../../../core/display/width.ts'

/** A text with a cursor. */
export interface Field {
  readonly text: string
  /** Where the cursor stands, in code units; never within a character. */
  readonly cursor: number
}

/** How long a text may get, in code units; a frame holds no more. */
export const MAX_FIELD_LENGTH = 65_536

/** Nothing yet. */
export const EMPTY_FIELD: Field = { text: '', cursor: 0 }

/** The text with the cursor at its end; what is over the bound is left out. */
export function fieldOf(text: string): Field {
  const bounded = text.length <= MAX_FIELD_LENGTH ? text : text.slice(0, MAX_FIELD_LENGTH)
  return { text: bounded, cursor: bounded.length }
}

/** Puts something in where the cursor stands; nothing where it would get too long. */
export function insert({ text, cursor }: Field, added: string): Field {
  if (text.length + added.length > MAX_FIELD_LENGTH) return { text, cursor }
  return { text: text.slice(0, cursor) + added + text.slice(cursor), cursor: cursor + added.length }
}

/** Ways to change a field that take no words. */
export type FieldEdit = 'back' | 'delete' | 'left' | 'right' | 'start' | 'end' | 'clear' | 'word-back'

/** Does one of them. */
export function edit(field: Field, how: FieldEdit): Field {
  const { text, cursor } = field
  switch (how) {
    case 'back':
      return cut(field, before(field), cursor)
    case 'delete':
      return cut(field, cursor, behind(field))
    case 'left':
      return { text, cursor: before(field) }
    case 'right':
      return { text, cursor: behind(field) }
    case 'start':
      return { text, cursor: cursor === 0 ? 0 : text.lastIndexOf('\n', cursor - 1) + 1 }
    case 'end': {
      const end = text.indexOf('\n', cursor)
      return { text, cursor: end === -1 ? text.length : end }
    }
    case 'word-back':
      return cut(field, text.slice(0, cursor).replace(/\S*\s*$/, '').length, cursor)
    case 'clear':
    default:
      return EMPTY_FIELD
  }
}

function cut({ text }: Field, from: number, to: number): Field {
  return { text: text.slice(0, from) + text.slice(to), cursor: from }
}

/** Characters looked at for the one beside the cursor; as people see them they are seldom longer. */
const NEAR = 64

function before({ text, cursor }: Field): number {
  const near = text.slice(Math.max(0, cursor - NEAR), cursor)
  return cursor - ([...segmentsOf(near)].at(-1)?.segment.length ?? 0)
}

function behind({ text, cursor }: Field): number {
  const [next] = segmentsOf(text.slice(cursor, cursor + NEAR))
  return cursor + (next?.segment.length ?? 0)
}
