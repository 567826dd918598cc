/**
 * An accord in words, as somebody reads it before it is signed (FED-57).
 */
import { expect, test } from 'vitest'
import { accordInWords } from '../../../src/cli/authority/accord-words.ts'
import { accordOf, grantOf, newSides } from '../../authority/accords.ts'
import { NOW_MS } from '../../authority/documents.ts'

function words(...intents: readonly string[]): string {
  return accordInWords(accordOf(newSides(), { grants: [grantOf({ intents })] }), NOW_MS).join('\n')
}

test('a grant of envelopes says that it has no effect on one machine, and one of frames alone says nothing of it (FED-57)', () => {
  expect(words('task.*')).toMatch(/envelopes of task\.\*.*\n.*on one machine this has no effect/)
  expect(words()).not.toContain('nvelopes')
})
