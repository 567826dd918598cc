/** A frame without a wrapper, as who knows the memo alone sends it; the scope stands beside it (ACQ-02, AC-174). */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decodeSubmission } from '../../../src/protocol/frame/submission.ts'
import { arbitraryFrame, validFrame } from '../../support/frames.ts'
import { refusalOf } from '../../support/refusals.ts'

function submit(value: unknown, scopeBeside?: string) {
  const { frame, text, recipientScope } = decodeSubmission(Buffer.from(JSON.stringify(value)), {
    scopeBeside,
  })
  return { frame, text, recipientScope }
}

describe('a bare frame', () => {
  test('is read as the same frame in its wrapper is, and goes out in the same text (ACQ-02)', () => {
    fc.assert(
      fc.property(arbitraryFrame(), fc.constantFrom('~alice/*', undefined), (frame, scope) => {
        const wrapped = submit({ ...(scope !== undefined && { recipient_scope: scope }), frame })

        expect(submit(frame, scope)).toEqual(wrapped)
        expect(JSON.parse(submit(frame, scope).text)).toEqual(frame)
      }),
    )
  })

  test('with white space in it is re-serialised, as any frame is', () => {
    const frame = validFrame()
    const { text } = decodeSubmission(Buffer.from(`\n${JSON.stringify(frame, undefined, 2)}\n`))

    expect(text).toBe(JSON.stringify(frame))
  })

  test.each([
    ['envelope_version', { code: 'field-missing', field: 'envelope_version' }],
    ['kind', { code: 'field-missing', field: 'kind' }],
    ['provenance_method', { code: 'field-missing', field: 'provenance_method' }],
  ])('without %s is refused as that frame is (AC-163)', (name, refusal) => {
    const frame = Object.fromEntries(Object.entries(validFrame()).filter(([member]) => member !== name))

    expect(refusalOf(() => submit(frame))).toEqual(refusal)
  })

  test('with a member that no frame has is refused with it (AC-165, AC-174)', () => {
    const refusal = { code: 'field-unknown', field: 'colour' }

    expect(refusalOf(() => submit({ ...validFrame(), colour: 'red' }))).toEqual(refusal)
  })
})

describe('what could be two things', () => {
  test.each([
    [
      'a frame with a scope in it',
      () => submit({ ...validFrame(), recipient_scope: '~alice' }),
      'recipient_scope',
      /query string/,
    ],
    [
      'a frame with a wrapper in it',
      () => submit({ ...validFrame(), frame: validFrame() }),
      'acted_by',
      /send the frame alone/,
    ],
    [
      'a scope in both places',
      () => submit({ recipient_scope: '~alice', frame: validFrame() }, '~alice'),
      'recipient_scope',
      /one of them/,
    ],
  ])('is refused with a sentence that says so: %s (ACQ-02)', (_, act, field, sentence) => {
    expect(refusalOf(act)?.field).toBe(field)
    expect(() => act()).toThrow(sentence)
  })

  test('is the wrapper where no member is of a frame', () => {
    expect(refusalOf(() => submit({}))).toEqual({ code: 'field-missing', field: 'frame' })
    expect(refusalOf(() => submit({ frames: [] }))).toEqual({ code: 'field-unknown', field: 'frames' })
  })
})
