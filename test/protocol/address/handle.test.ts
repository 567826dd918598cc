/**
 * Handles, tiers and pronouns (docs/requirements.md §§1.2, 1.3, ACQ-10, ACQ-11, ACQ-29, ACQ-30, ACQ-31).
 */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  Handle,
  Instrument,
  SessionId,
  ToolClass,
  formatAddress,
  isHandle,
  isInstrument,
  isSessionId,
  isToolClass,
  looksLikeInstrument,
} from '../../../src/protocol/address/handle.ts'
import { readScope } from '../../../src/protocol/address/scope.ts'
import { HANDLES, INSTRUMENT_HANDLES, NO_HANDLES } from '../frame/values.ts'

/** The canonical pattern, as docs/requirements.md §1.2 print it. */
const CANONICAL = /^~[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/

/** Strings near the grammar: mostly its own alphabet, now and then something else. */
const nearHandle = fc
  .string({
    unit: fc.constantFrom('a', 'b', 'z', '0', '9', '-', '-', 'A', '_', '.', '~', 'é', '\n'),
    maxLength: 35,
  })
  .map((text) => `~${text}`)

test.each([...HANDLES, ...INSTRUMENT_HANDLES])('%j is a canonical handle (1.2)', (text) => {
  expect(isHandle(text)).toBe(true)
  expect(Handle.safeParse(text).success).toBe(true)
})

test.each(NO_HANDLES)('%j is no canonical handle, and is never made one (1.2, ACQ-10)', (text) => {
  expect(isHandle(text)).toBe(false)
  expect(Handle.safeParse(text).success).toBe(false)
})

test('the grammar is the canonical pattern, less the pronoun (1.2, ACQ-10)', () => {
  fc.assert(
    fc.property(fc.oneof(nearHandle, fc.stringMatching(CANONICAL), fc.string()), (text) => {
      expect(isHandle(text)).toBe(CANONICAL.test(text) && text !== '~org')
      expect(Handle.safeParse(text).success).toBe(isHandle(text))
    }),
  )
})

test('only ~org itself is the pronoun, not a handle that begins like it (ACQ-10)', () => {
  expect(['~org1', '~org-a', '~orga', '~o', '~or'].every(isHandle)).toBe(true)
})

test.each(INSTRUMENT_HANDLES)(
  '%s looks like an instrument, which is a custom and no tier (1.3, ACQ-11)',
  (text) => {
    expect(looksLikeInstrument(text)).toBe(true)
    expect(Handle.safeParse(text).success).toBe(true)
  },
)

test.each(['~cc', '~claude', '~ccx', '~gpt5', '~a-cc-b', '~agentd-cli', '~mistra-l'])(
  '%s does not look like an instrument: the prefix is taken whole, and at the front (1.3)',
  (text) => {
    expect(looksLikeInstrument(text)).toBe(false)
  },
)

test('an instrument is a handle body without the tilde (ACQ-30)', () => {
  const labels = HANDLES.map((handle) => handle.slice(1))

  for (const label of [...labels, 'org']) expect(isInstrument(label), label).toBe(true)
  for (const text of ['', '~cc', '-a', 'a-', 'Cc', 'a.b', 'a b', 'a*', 'a@b', 'a\n', 'a'.repeat(33)]) {
    expect(isInstrument(text), text).toBe(false)
    expect(Instrument.safeParse(text).success, text).toBe(false)
  }
})

test('a session id is 1 to 128 of a fixed alphabet (ACQ-31)', () => {
  const valid = ['1', 'A.b_c:d-e', '4242', '-', '.', '3f2504e0-4f89-41d3-9a0c-0305e82c3301', 'x'.repeat(128)]
  const invalid = ['', 'a b', 'a@b', 'a/b', 'a*', 'é', 'a\n', '\u0000', 'x'.repeat(129)]

  expect(valid.filter((text) => !isSessionId(text) || !SessionId.safeParse(text).success)).toEqual([])
  expect(invalid.filter((text) => isSessionId(text) || SessionId.safeParse(text).success)).toEqual([])
})

test('a tool class is 1 to 32 of a-z 0-9 and hyphen, with no hyphen first (ACQ-29)', () => {
  const valid = ['cc', 'codex', 'cursor', 'alter-cli', '0', 'a-', 'a'.repeat(32)]
  const invalid = ['', '-a', 'CC', 'a_b', 'a.b', 'a b', 'é', 'a\n', 'a'.repeat(33)]

  expect(valid.filter((text) => !isToolClass(text) || !ToolClass.safeParse(text).success)).toEqual([])
  expect(invalid.filter((text) => isToolClass(text) || ToolClass.safeParse(text).success)).toEqual([])
})

test('an address is the scope of exactly that session (AC-119)', () => {
  const handle = fc.stringMatching(CANONICAL).filter(isHandle)
  const sessionId = fc.stringMatching(/^[A-Za-z0-9._:-]{1,128}$/).filter(isSessionId)

  fc.assert(
    fc.property(handle, handle, sessionId, (owner, runtime, id) => {
      const instrument = runtime.slice(1)
      const scope = { form: 'session', handle: owner, instrument, sessionId: id }
      expect(readScope(formatAddress(owner, instrument, id))).toEqual(scope)
    }),
  )
})
