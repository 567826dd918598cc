import { expect, test } from 'vitest'
import { widthOf } from '../../../src/core/display/width.ts'
import { fieldLines } from '../../../src/ui/top/lines/field-lines.ts'
import {
  edit,
  EMPTY_FIELD,
  fieldOf,
  insert,
  MAX_FIELD_LENGTH,
  type FieldEdit,
} from '../../../src/ui/top/state/field.ts'
import { typeInto } from '../../../src/ui/top/state/typing.ts'

test.each<[string, readonly FieldEdit[], string]>([
  ['ab', ['back'], 'a|'],
  ['a👩‍👧', ['back'], 'a|'],
  ['ab', ['left', 'delete'], 'a|'],
  ['one two  ', ['word-back'], 'one |'],
  ['one\ntwo', ['start'], 'one\n|two'],
  ['one\ntwo', ['start', 'left', 'start'], '|one\ntwo'],
  ['one\ntwo', ['start', 'left', 'start', 'end'], 'one|\ntwo'],
  ['\nx', ['start', 'left', 'start'], '|\nx'],
  ['ab', ['clear'], '|'],
  ['', ['back', 'delete', 'left', 'right', 'word-back'], '|'],
])('%j after %j is %j', (text, edits, shown) => {
  let field = fieldOf(text)
  for (const how of edits) field = edit(field, how)

  expect(`${field.text.slice(0, field.cursor)}|${field.text.slice(field.cursor)}`).toBe(shown)
})

test('a field holds no more than a frame does', () => {
  const full = fieldOf('x'.repeat(MAX_FIELD_LENGTH + 1))

  expect(full.text).toHaveLength(MAX_FIELD_LENGTH)
  expect(insert(full, 'y')).toEqual(full)
})

test('what is pasted is text: Enter in it sends nothing (SEAT-30)', () => {
  const pasted = { isCtrl: false, isAlt: false, isPasted: true }

  expect(typeInto(EMPTY_FIELD, { ...pasted, key: 'Enter' }, false)).toEqual({
    kind: 'text',
    field: fieldOf('\n'),
  })
  expect(typeInto(EMPTY_FIELD, { ...pasted, key: 'Escape' }, false)).toEqual({
    kind: 'text',
    field: EMPTY_FIELD,
  })
})

test.each([
  ['short', 20],
  ['a longer text that is broken where the line ends', 20],
  ['語語語語語語語語語語語語', 20],
  ['one\ntwo\nthree\nfour\nfive', 40],
])('the cursor of %j stands where the text ends, within %d columns (SEAT-39)', (text, columns) => {
  const writing = { what: 'answer', label: 'Answer', isOneLine: false, field: fieldOf(text) } as const
  const { lines, cursor } = fieldLines(writing, columns, 3)

  const last = lines[cursor.row]?.map((span) => span.text).join('') ?? ''
  expect(cursor.column).toBe(widthOf(last))
  expect(cursor.column).toBeLessThan(columns)
  expect(lines.length).toBeLessThanOrEqual(4)
})
