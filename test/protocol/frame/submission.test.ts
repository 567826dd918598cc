/**
 * The wrapper around a frame, its size, and the text that goes out (AC-114, AC-124, ACQ-02, ACQ-05, ACQ-06, ACQ-08,
 * ACQ-14, ACQ-20, ACQ-40).
 */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { MAX_FRAME_OCTETS, MAX_SUBMISSION_OCTETS } from '../../../src/core/limits.ts'
import {
  decodeSubmission,
  parseSubmission,
  requireRecipientScope,
} from '../../../src/protocol/frame/submission.ts'
import { arbitraryFrame, brokenFrame, validFrame, validPayload } from '../../support/frames.ts'
import { refusalOf } from '../../support/refusals.ts'

function submit(text: string) {
  return decodeSubmission(Buffer.from(text))
}

/** A frame of exactly so many octets of canonical JSON; padded with provenance and references of many octets. */
function frameOfOctets(octets: number, filler = '€') {
  const paths = Array.from({ length: 64 }, () => 'x'.repeat(1_000))
  const frame = validFrame('agent_advisory', { payload: { advisory_text: 'x', file_refs: paths } })
  const missing = octets - Buffer.byteLength(JSON.stringify(frame))
  const size = Buffer.byteLength(filler)
  frame.payload.advisory_text = filler.repeat(Math.floor(missing / size)) + 'x'.repeat((missing % size) + 1)
  return frame
}

describe('the wrapper', () => {
  test.each(['null', 'true', '1', '"x"', '[]', '[{"frame":{}}]'])(
    'is an object, not %s (ACQ-02, ACQ-06)',
    (text) => {
      expect(refusalOf(() => submit(text))).toEqual({ code: 'field-invalid', field: 'frame' })
    },
  )

  test.each(['', '{', 'x', '\uFEFF{"frame":{}}'])('is JSON, not %j (ACQ-06)', (text) => {
    expect(refusalOf(() => submit(text))).toEqual({ code: 'field-invalid', field: 'frame' })
  })

  test('of broken UTF-8 is refused (ACQ-06)', () => {
    const bytes = Buffer.from(
      JSON.stringify({ frame: validFrame('agent_advisory') }).replace('editing', 'éditing'),
      'latin1',
    )

    expect(refusalOf(() => decodeSubmission(bytes))).toEqual({ code: 'field-invalid', field: 'frame' })
  })

  test('has a frame (ACQ-02)', () => {
    for (const text of ['{}', '{"recipient_scope":"~alice/*"}']) {
      expect(refusalOf(() => submit(text))).toEqual({ code: 'field-missing', field: 'frame' })
    }
  })

  test.each(['scope', 'Frame', '__proto__', 'constructor', '', 'recipient_scope,frame', 'kind'])(
    'is closed: %j does not belong in it (ACQ-02, ACQ-40)',
    (name) => {
      const text = `{"${name}":{"a":1},"frame":${JSON.stringify(validFrame())}}`

      expect(refusalOf(() => submit(text))).toEqual({ code: 'field-unknown', field: name })
    },
  )

  test('names each of its members once, and so does the frame (ACQ-40)', () => {
    const frame = JSON.stringify(validFrame())
    const texts = [
      `{"frame":${frame},"frame":${frame}}`,
      `{"recipient_scope":"~alice","recipient_scope":"~bob","frame":${frame}}`,
      `{"recipient_scope":"~alice","frame":${frame},"\\u0066rame":${frame}}`,
      `{"frame":${frame.replace('"kind":', '"kind":"agent_query","kind":')}}`,
      `{"recipient_scope":"~alice","frame":${frame.replace('"branch":', '"branch":"x","br\\u0061nch":')}}`,
    ]

    for (const text of texts)
      expect(refusalOf(() => submit(text))).toEqual({ code: 'field-invalid', field: 'frame' })
  })

  test.each([null, true, 0, 'x', []])('holds an object as its frame, not %j (AC-001)', (frame) => {
    expect(refusalOf(() => parseSubmission({ frame }))).toEqual({ code: 'field-invalid', field: 'frame' })
  })
})

describe('the scope', () => {
  test('absent is every session of the recipient (ACQ-02, AC-116)', () => {
    const submission = parseSubmission({ frame: validFrame('agent_query', { recipient_handle: '~bob' }) })

    expect(requireRecipientScope(submission)).toEqual({ form: 'all', handle: '~bob' })
  })

  test('given is read as what it names (AC-114)', () => {
    const submission = parseSubmission({ recipient_scope: '~alice/cc-*', frame: validFrame() })

    expect(requireRecipientScope(submission)).toEqual({ form: 'prefix', handle: '~alice', prefix: 'cc-' })
  })

  test.each([null, 1, true, {}, [], ['~alice'], '', 'alice', '~alice/', '~org/*', 'x'.repeat(600)])(
    'that is malformed is refused by its own name: %j (ACQ-05, ACQ-09, ACQ-10)',
    (recipient_scope) => {
      const submission = parseSubmission({ recipient_scope, frame: validFrame() })

      const refusal = { code: 'field-invalid', field: 'recipient_scope' }
      expect(refusalOf(() => requireRecipientScope(submission))).toEqual(refusal)
    },
  )

  test('is looked at last: a faulty frame is reported before a faulty scope (ACQ-08)', () => {
    const submission = { recipient_scope: 42, frame: brokenFrame('agent_query', { payload: {} }) }

    expect(refusalOf(() => parseSubmission(submission))?.field).toBe('payload.query_text')
  })
})

describe('the size of a frame', () => {
  test.each(['€', 'x', '😀', 'é'])(
    'is counted in octets, here of %s: 65 536 fit, 65 537 do not (AC-181, ACQ-14)',
    (filler) => {
      const fits = frameOfOctets(MAX_FRAME_OCTETS, filler)
      const over = frameOfOctets(MAX_FRAME_OCTETS + 1, filler)

      expect(Buffer.byteLength(JSON.stringify(fits))).toBe(65_536)
      expect(refusalOf(() => submit(JSON.stringify({ frame: fits })))).toBeUndefined()
      expect(refusalOf(() => submit(JSON.stringify({ frame: over })))).toEqual({
        code: 'frame-too-large',
        field: 'frame',
      })
      expect(refusalOf(() => parseSubmission({ frame: over }))?.code).toBe('frame-too-large')
    },
  )

  test('is its own, not that of the spaces and escapes it came with (ACQ-14)', () => {
    const frame = frameOfOctets(MAX_FRAME_OCTETS)
    const spaced = JSON.stringify({ frame }, null, 1)

    expect(Buffer.byteLength(spaced)).toBeGreaterThan(MAX_FRAME_OCTETS)
    expect(submit(spaced).text).toBe(JSON.stringify(frame))
  })

  test('comes before everything else that is wrong with it (ACQ-08)', () => {
    const frame = { ...frameOfOctets(MAX_FRAME_OCTETS + 1), envelope_version: '2.0', stranger: 1 }

    expect(refusalOf(() => parseSubmission({ frame }))?.code).toBe('frame-too-large')
  })

  test('leaves room in a body for the wrapper and the longest scope (ACQ-14)', () => {
    const body = JSON.stringify({ recipient_scope: 'x'.repeat(512), frame: frameOfOctets(MAX_FRAME_OCTETS) })

    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(MAX_SUBMISSION_OCTETS)
  })
})

describe('the text that goes out', () => {
  test('is the text that came in, when that was canonical (AC-136, ACQ-20)', () => {
    fc.assert(
      fc.property(arbitraryFrame(), fc.boolean(), (frame, scoped) => {
        const text = JSON.stringify(frame)
        const body = scoped ? `{"recipient_scope":"~a","frame":${text}}` : `{"frame":${text}}`
        const submission = submit(body)
        expect(submission.text).toBe(text)
        expect(submission.frame).toEqual(frame)
        expect(submission.recipientScope).toBe(scoped ? '~a' : undefined)
      }),
      { numRuns: 200 },
    )
  })

  test('keeps the order the members came in (ACQ-20)', () => {
    const reversed = Object.fromEntries(Object.entries(validFrame('agent_query')).toReversed())

    expect(submit(JSON.stringify({ frame: reversed })).text).toBe(JSON.stringify(reversed))
    expect(submit(JSON.stringify({ frame: reversed, recipient_scope: '~alice' })).text).toBe(
      JSON.stringify(reversed),
    )
  })

  test('is one line that says the same, when it came in any other form (ACQ-20)', () => {
    fc.assert(
      fc.property(arbitraryFrame(), (frame) => {
        const { text } = submit(JSON.stringify({ frame }, null, '\t'))
        expect(text).toBe(JSON.stringify(frame))
        expect(text).not.toMatch(/[\r\n]/)
      }),
      { numRuns: 100 },
    )
  })

  test('has one spelling for every escape and number (ACQ-15, ACQ-20)', () => {
    const frame = validFrame('agent_lock_request', { ttl_ms: 1_000 })
    const canonical = JSON.stringify(frame)
    const loose = canonical
      .replace('"ttl_ms":1000', '"ttl_ms":1.0e3')
      .replace('src/auth.ts', String.raw`src\/\u0061uth.ts`)

    expect(loose).not.toBe(canonical)
    expect(submit(`{"frame":${loose}}`).text).toBe(canonical)
  })

  test.each(['1.0e3', '1000.0', '1E3', '1e3', '10e2'])(
    'has one spelling for a number, where nothing else is unusual: not %s (ACQ-15, ACQ-20)',
    (number) => {
      const canonical = JSON.stringify(validFrame('agent_lock_request', { ttl_ms: 1_000 }))
      const loose = canonical.replace('"ttl_ms":1000', `"ttl_ms":${number}`)

      expect(submit(`{"recipient_scope":"~alice/*","frame":${loose}}`).text).toBe(canonical)
    },
  )

  test('is what was validated, to the last octet (AC-133)', () => {
    fc.assert(
      fc.property(arbitraryFrame(), (frame) => {
        const { text } = parseSubmission({ frame })
        expect(JSON.parse(text)).toEqual(frame)
        expect(Buffer.from(text).toString()).toBe(text)
      }),
      { numRuns: 100 },
    )
  })
})

test.each(['1e400', '-1e400'])('%s cannot pass as null on its way out (ACQ-15)', (number) => {
  const text = JSON.stringify(validFrame('agent_query', { ttl_ms: 1 })).replace(
    '"ttl_ms":1',
    `"ttl_ms":${number}`,
  )

  expect(refusalOf(() => submit(`{"frame":${text}}`))).toEqual({ code: 'field-invalid', field: 'ttl_ms' })
})

test('a lone surrogate spelled as an escape is refused in every string of a frame (ACQ-14)', () => {
  const frame = brokenFrame('agent_advisory', { provenance_return_ref: 'MARK-r', provenance_basis: 'MARK-b' })
  const payload = { ...validPayload('agent_advisory'), advisory_text: 'MARK-a', worktree: 'MARK-w' }
  const text = JSON.stringify({ frame: { ...frame, payload } })
  const fields = {
    r: 'provenance_return_ref',
    b: 'provenance_basis',
    a: 'payload.advisory_text',
    w: 'payload.worktree',
  }

  for (const [mark, field] of Object.entries(fields)) {
    const broken = text.replace(`MARK-${mark}`, String.raw`x\udc00`)
    expect(refusalOf(() => submit(broken))).toEqual({ code: 'field-invalid', field })
  }
})

test('the time of the daemon decides what is plausible (AC-017, ACQ-26)', () => {
  const body = Buffer.from(
    JSON.stringify({ frame: validFrame('agent_query', { created_at: '2020-01-01T00:00:00Z' }) }),
  )

  expect(refusalOf(() => decodeSubmission(body))).toBeUndefined()
  expect(refusalOf(() => decodeSubmission(body, { nowMs: Date.UTC(2026, 0) }))?.field).toBe('created_at')
})
