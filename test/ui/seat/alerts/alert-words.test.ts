import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { UNSEEN_RANGES } from '../../../../src/core/text/unseen.ts'
import {
  alertLine,
  alertOf,
  alertOfSeveral,
  MAX_BODY_CHARACTERS,
  titleWords,
} from '../../../../src/ui/seat/alerts/alert-words.ts'
import { readNeed, type SeatNeed } from '../../../../src/ui/seat/needs/need.ts'
import { need } from '../../support/wire.ts'

const needOf = (text: string, name = 'cc-opus@s1', type = 'decision'): SeatNeed => {
  const found = readNeed(need('n1', { type, text, from: { address: `~alice/${name}`, present: true } }))
  if (found === undefined) throw new Error('it was not read')
  return found
}

const bodyOf = (text: string): string => alertOf('k', needOf(text)).body

test('an alert names the sender first, then the kind, and below it the question (SEAT-28, SEAT-42)', () => {
  expect(alertOf('k', needOf('The migration drops a column'))).toEqual({
    key: 'k',
    needId: 'n1',
    title: 'cc-opus@s1 · decision',
    body: 'The migration drops a column',
    isQuiet: false,
  })
  expect(alertOf('k', needOf('', 'cc@s1', 'prompt')).title).toBe('cc@s1 · prompt')
})

test('for where there is a line alone, both stand on it (SEAT-42)', () => {
  expect(alertLine(alertOf('k', needOf('May I?', 'cc@s1', 'question')))).toBe('cc@s1 · question: May I?')
  expect(alertLine(alertOf('k', needOf('', 'cc@s1', 'prompt')))).toBe('cc@s1 · prompt')
})

test('the title counts what is for the person alone (SEAT-42)', () => {
  expect([0, 2].map(titleWords)).toEqual(['agentd', '(2) agentd'])
})

test('lines become one, and what would turn or hide the text is told by its number (SEAT-42)', () => {
  expect(bodyOf('one  \r\n\n  two\n')).toBe('one ↵ two')
  expect(bodyOf('pay\u202Eevil\u001B[2J')).toBe('pay‹U+202E›evil‹U+001B›[2J')
})

test('a long text ends with an ellipsis, and not within a character (SEAT-42)', () => {
  expect(bodyOf('x'.repeat(139))).toBe('x'.repeat(139))
  expect(bodyOf('x'.repeat(141))).toBe(`${'x'.repeat(139)}…`)
  expect(bodyOf(`${'x'.repeat(138)}😀😀`)).toBe(`${'x'.repeat(138)}…`)
})

test('several are a number and who asks, each once (SEAT-41)', () => {
  const needs = [needOf('one'), needOf('two'), needOf('three', 'codex@k2')]

  expect(alertOfSeveral(needs, true)).toEqual({
    key: 'together',
    needId: undefined,
    title: '3 need you',
    body: 'cc-opus@s1, codex@k2',
    isQuiet: true,
  })
  const many = Array.from({ length: 50 }, (_, at) => needOf('?', `a-long-name@session-${at}`))
  expect(alertOfSeveral(many, false).body.length).toBeLessThanOrEqual(MAX_BODY_CHARACTERS)
})

test('whatever is asked, by whomever: two lines of bounded length with nothing unseen in them (SEAT-42)', () => {
  const unseen = new RegExp(`[${UNSEEN_RANGES}\\u{d800}-\\u{dfff}]`, 'u')
  const text = fc.string({ unit: 'binary', maxLength: 400 })
  fc.assert(
    fc.property(text, text, (asked, name) => {
      const { title, body } = alertOf('k', needOf(asked, name))

      expect(title).not.toMatch(unseen)
      expect(body).not.toMatch(unseen)
      expect(body.length).toBeLessThanOrEqual(MAX_BODY_CHARACTERS)
      expect(title.length).toBeLessThan(MAX_BODY_CHARACTERS)
    }),
  )
})
