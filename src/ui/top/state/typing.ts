/**
 * What keys do while something is typed. Hardly one is the seat's (SEAT-30).
 */
import { edit, insert, type Field, type FieldEdit } from './field.ts'
import { isOneCharacter, type KeyPress } from './key-press.ts'

/** What a key comes to in a field. */
export type Typed =
  | { readonly kind: 'text'; readonly field: Field }
  /** Enter. */
  | { readonly kind: 'done' }
  /** Escape. */
  | { readonly kind: 'left' }
  /** Ctrl+G. */
  | { readonly kind: 'editor' }
  /** Tab. */
  | { readonly kind: 'beside' }

const EDITS: ReadonlyMap<string, FieldEdit> = new Map([
  ['Backspace', 'back'],
  ['Delete', 'delete'],
  ['ArrowLeft', 'left'],
  ['ArrowRight', 'right'],
  ['Home', 'start'],
  ['End', 'end'],
])

/** As shells have them. */
const CTRL_EDITS: ReadonlyMap<string, FieldEdit> = new Map([
  ['a', 'start'],
  ['e', 'end'],
  ['u', 'clear'],
  ['w', 'word-back'],
  ['h', 'back'],
  ['d', 'delete'],
])

/** @param isOneLine - whether a line break is out of place */
export function typeInto(field: Field, press: KeyPress, isOneLine: boolean): Typed {
  const { key, isCtrl, isAlt, isPasted } = press
  if (key === 'Enter' && !isPasted && (isOneLine || !isAlt)) return { kind: 'done' }
  if (key === 'Enter') return { kind: 'text', field: insert(field, isOneLine ? ' ' : '\n') }
  if (isPasted) return { kind: 'text', field: isOneCharacter(key) ? insert(field, key) : field }
  if (key === 'Escape') return { kind: 'left' }
  if (key === 'Tab') return { kind: 'beside' }
  if (isCtrl && key === 'g' && !isOneLine) return { kind: 'editor' }
  const how = isCtrl ? CTRL_EDITS.get(key) : EDITS.get(key)
  if (how !== undefined) return { kind: 'text', field: edit(field, how) }
  return { kind: 'text', field: isCtrl || isAlt || !isOneCharacter(key) ? field : insert(field, key) }
}
