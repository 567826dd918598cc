/**
 * The payload fields of docs/requirements.md §5.3 as a table: path → what the field takes and what it does not.
 *
 * Written from AC-050 to AC-113 and not from `kinds.ts`; the bounds stand here a second time on purpose, those that the
 * memo states and no others.
 */
import type { Kind } from '../../../src/protocol/frame/kinds.ts'
import {
  convergenceClass,
  flag,
  free,
  handle,
  integer,
  line,
  list,
  oneOf,
  optional,
  scope,
  shape,
  sovereign,
  text,
  timestamp,
  uuid,
  type Member,
} from './values.ts'

/** One field: where it is, with list indices in brackets, and its rule. */
export type Row = readonly [path: string, member: Member]

const option = (label: unknown = 'yes', reasoning: unknown = 'why') => ({ label, reasoning })
const options = (count: number) => Array.from({ length: count }, () => option())

const REFS = (id: string) => optional(list(id))

/** Kind → its fields, required ones in the order of the text. */
export const PAYLOAD_TABLE: Readonly<Record<Kind, readonly Row[]>> = {
  agent_advisory: [
    ['advisory_text', text('AC-050', 1, 2048)],
    ['file_refs', REFS('AC-051')],
    ['worktree', optional(text('AC-052', 0, 512))],
    ['branch', optional(text('AC-053', 0, 256))],
  ],
  agent_broadcast: [
    ['broadcast_text', text('AC-054', 1, 2048)],
    ['event_class', oneOf('AC-055', 'merged', 'stale', 'released', 'other')],
    ['refs', REFS('AC-056')],
  ],
  agent_handover: [
    ['previous_session_id', text('AC-057', 1, 128)],
    ['next_session_id', optional(text('AC-058, ACQ-18', 0, 128))],
    ['handover_body', free('AC-059, HO-01')],
    ['pointer_refs', REFS('AC-060')],
  ],
  agent_lock_request: [
    ['resource', text('AC-061', 1, 512)],
    ['lease_id', uuid('AC-062')],
    ['ttl_ms', integer('AC-063', 1, 3_600_000)],
    ['intent', optional(text('AC-064', 0, 2048))],
  ],
  agent_lock_release: [
    ['lease_id', uuid('AC-065')],
    ['resource', optional(free('AC-066'))],
  ],
  agent_lease_extend: [
    ['lease_id', uuid('AC-067')],
    ['additional_ttl_ms', integer('AC-068', 0)],
  ],
  agent_query: [
    ['query_text', text('AC-069', 1, 2048)],
    ['query_id', uuid('AC-070')],
    ['response_scope', scope('AC-071, ACQ-17')],
    ['timeout_ms', integer('AC-072', 1)],
  ],
  agent_response: [
    ['query_id', uuid('AC-073')],
    ['responder_session_id', free('AC-074', 1)],
    ['response_text', free('AC-075', 1)],
    ['responded_to_frame_id', optional(uuid('AC-076'))],
    ['answer_attempt_idx', optional(integer('AC-077', 1))],
  ],
  agent_return_event: [
    ['return_event_ref', text('AC-078', 1, 256)],
    ['query_id', optional(free('AC-079'))],
    ['summary', text('AC-080', 1, 2048)],
  ],
  agent_binding_moment: [
    ['synopsis', free('AC-081', 1)],
    ['findings', list('AC-082')],
    ['recommendations', list('AC-083')],
    ['offer', line('AC-084')],
    ['question', shape('AC-085', [], [[null], [[]], ['x'], [0], [true]])],
    ['question.stem', free('AC-085', 1)],
    [
      'question.options',
      shape(
        'AC-086',
        [options(2), options(3), options(4), [option('x'.repeat(9_000)), option('x', 'y'.repeat(9_000))]],
        [[null], [{}], ['x'], [options(1)], [options(5)], [[option(), null], '[1]'], [['a', 'b'], '[0]']],
      ),
    ],
    ['question.options[1].label', free('AC-086', 1)],
    ['question.options[0].reasoning', line('AC-086')],
    [
      'question.recommended_idx',
      shape(
        'AC-087, ACQ-34',
        [0, 1],
        [[-1], [2], [3], [0.5], ['0'], [null], [true], [[]], [{}], [Number.MAX_SAFE_INTEGER + 1]],
      ),
    ],
    [
      'question.hatches',
      optional(
        shape(
          'AC-088, AC-089, AC-090',
          [
            {},
            { free_text: true },
            { free_text: false },
            { dialogue: false },
            { free_text: false, dialogue: true },
          ],
          [
            [null],
            [[]],
            ['x'],
            [true],
            [{ free_text: false, dialogue: false }],
            [{ dialogue: false, free_text: false }],
          ],
        ),
      ),
    ],
    ['question.hatches.free_text', optional({ ...flag('AC-088'), valid: [true] })],
    ['question.hatches.dialogue', optional(flag('AC-088'))],
  ],
  peer_diagnostic_request: [
    ['symptom', text('AC-091', 1, 2048)],
    ['diagnostic_id', uuid('AC-092')],
    ['substrate_refs', REFS('AC-093')],
    ['severity', oneOf('AC-094', 'info', 'degraded', 'blocked')],
  ],
  peer_diagnostic_response: [
    ['diagnostic_id', uuid('AC-095')],
    ['finding', free('AC-096', 1)],
    ['remediation', optional(free('AC-097'))],
    ['substrate_refs', REFS('AC-098')],
  ],
  intent_declare: [
    ['convergence_class', convergenceClass('AC-099')],
    ['payload_ref', free('AC-100')],
    ['acted_by', sovereign('AC-101')],
    ['drafted_with', handle('AC-101')],
    ['declared_at', timestamp('AC-102')],
    ['ttl', integer('AC-103', 0)],
    ['withdrawable', flag('AC-104')],
    ['urgency', optional(oneOf('AC-105', 'normal', 'urgent'))],
  ],
  intent_withdraw: [
    ['convergence_class', convergenceClass('AC-106')],
    ['intent_ref', free('AC-107')],
    ['withdrawn_at', timestamp('AC-108')],
  ],
  flush_executed: [
    ['convergence_class', convergenceClass('AC-109')],
    ['result_ref', free('AC-110')],
    ['batch_refs', REFS('AC-111')],
    ['executed_at', timestamp('AC-112')],
  ],
}

/** The steps of a path: `question.options[1].label` → question, options, 1, label. */
export function stepsOf(path: string): readonly string[] {
  return path.split(/[.[\]]+/).filter((step) => step !== '')
}

/** A deep copy with the value at a path set; `undefined` removes it. Missing objects on the way are made. */
export function withValueAt(object: object, path: string, value: unknown): Record<string, unknown> {
  const copy: Record<string, unknown> = structuredClone({ ...object })
  const steps = stepsOf(path)
  let holder: Record<string, unknown> = copy
  for (const step of steps.slice(0, -1)) {
    holder[step] ??= {}
    // Tests choose their paths.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    holder = holder[step] as Record<string, unknown>
  }
  const name = steps.at(-1) ?? ''
  if (value === undefined) Reflect.deleteProperty(holder, name)
  else Object.defineProperty(holder, name, { value, enumerable: true, configurable: true, writable: true })
  return copy
}
