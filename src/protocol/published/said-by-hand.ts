/**
 * What a published schema says that zod cannot know: the checks that are functions, written as keywords.
 *
 * A check and its keywords are held together by the test that asks both of every vector (test/contract/schemas.test.ts). Only
 * what reads JSON Schema has a use for the keywords, so they stand here and not beside the checks, which every program loads.
 * Patterns keep to what all dialects of regular expressions share.
 *
 * @see docs/http.md §10; PD-15
 */
import type * as z from 'zod'
import { MAX_SCOPE_OCTETS } from '../../core/limits.ts'
import { Handle } from '../address/handle.ts'
import { OneLine, Timestamp } from '../fields.ts'
import { Frame } from '../frame/frame.ts'
import { KINDS, KIND_NAMES } from '../frame/kinds.ts'
import { ActivityRequest, Entity, HistoryQuery, SeenRequest, StreamQuery } from '../http/requests.ts'
import { RecordsHead } from '../http/link-exchange.ts'
import { SubmissionQuery, SubmissionRequest } from '../http/submission-requests.ts'
import { Common } from '../verb/row.ts'
import { READING_VERBS, VERBS } from '../verb/verbs.ts'

type Keywords = Readonly<Record<string, unknown>>

const LABEL = '[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?'
const ID = '[A-Za-z0-9._:-]{1,128}'

const SCOPES = [
  `~${LABEL}(?:/(?:\\*|[a-z0-9-]{1,32}\\*|${LABEL}@${ID}))?`,
  `org:~?${LABEL}/members/(?:\\*|[a-z0-9][a-z0-9_-]*/\\*)`,
  `accord:~?${LABEL}/grant:[A-Za-z0-9._:-]+`,
]

const CLAUSE = [
  `kind:(?:${KIND_NAMES.join('|')})`,
  `sender:~${LABEL}`,
  'content_type:[^,]+',
  'tool:[a-z0-9][a-z0-9-]{0,31}',
  `org:~?${LABEL}`,
].join('|')

/** Name → what is read by a grammar, in one pattern; the pronoun `~org` is in none of them. */
export const GRAMMARS: Readonly<Record<string, Keywords>> = {
  scope: {
    type: 'string',
    pattern: `^(?:${SCOPES.join('|')})$`,
    not: { pattern: '^(?:~|org:~?|accord:~?)org(?:/|$)' },
    maxLength: MAX_SCOPE_OCTETS,
  },
  filter: {
    type: 'string',
    pattern: `^(?:(?:${CLAUSE})(?:,(?:${CLAUSE}))*)?$`,
    not: { pattern: '(?:^|,)(?:sender:~|org:~?)org(?:,|$)' },
  },
}

/** A schema whose texts are read by a grammar → its name. */
export const WRITTEN_AS: ReadonlyMap<z.core.$ZodType, string> = new Map<z.core.$ZodType, string>([
  [KINDS.agent_query.payload.shape.response_scope, 'scope'],
  [SubmissionRequest.shape.recipient_scope.unwrap(), 'scope'],
  [SubmissionQuery.shape.recipient_scope.unwrap(), 'scope'],
  [Common.recipient_scope.unwrap(), 'scope'],
  [StreamQuery.shape.filter.unwrap(), 'filter'],
  [HistoryQuery.shape.filter.unwrap(), 'filter'],
  [READING_VERBS.agent_subscribe.shape.filter.unwrap(), 'filter'],
])

const { question: Question } = KINDS.agent_binding_moment.payload.shape

/** What the calendar has: the days of each month, and the 29th of February of a leap year. */
const DAY = [
  String.raw`\d{4}-(?:0[13578]|1[02])-(?:0[1-9]|[12]\d|3[01])`,
  String.raw`\d{4}-(?:0[469]|11)-(?:0[1-9]|[12]\d|30)`,
  String.raw`\d{4}-02-(?:0[1-9]|1\d|2[0-8])`,
  String.raw`(?:\d\d(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29`,
].join('|')
const TIME = String.raw`(?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)(?:\.\d+)?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)`

const WAITING: Keywords = { const: 'waiting' }
const NONE: Keywords = { type: 'null' }

/** A schema → the keywords it has besides those zod gives it, from those. */
export const SAYS: ReadonlyMap<z.core.$ZodType, (given: Keywords) => Keywords> = new Map<
  z.core.$ZodType,
  (given: Keywords) => Keywords
>([
  [Handle, () => ({ not: { const: '~org' } })],
  [Timestamp, () => ({ pattern: `^(?:${DAY})[Tt]${TIME}$` })],
  [OneLine, () => ({ pattern: String.raw`^[^\r\n]*$` })],
  [Entity, () => ({ pattern: String.raw`^[^\u0000-\u001f\u007f-\u009f]*$` })],
  [Frame, sayFrame],
  [VERBS.agent_send.args, () => ({ oneOf: KIND_NAMES.map(branchOf) })],
  [Question, () => ({ anyOf: [2, 3, 4].map(amongOptions) })],
  [Question.shape.hatches.unwrap(), () => ({ not: allFalse(['free_text', 'dialogue']) })],
  [
    ActivityRequest,
    () => ({ anyOf: [{ properties: { state: WAITING } }, { properties: { reason: NONE } }] }),
  ],
  [
    RecordsHead,
    () => ({
      anyOf: [
        { properties: { subject: { type: 'string', minLength: 1 } } },
        withMember('joins', { const: true }),
      ],
    }),
  ],
  [
    SeenRequest,
    () => ({
      oneOf: [withMember('up_to', { type: 'string' }), withMember('event_ids', { type: 'array' })],
      anyOf: [
        { properties: { state: { enum: ['seen', 'dropped'] } } },
        withMember('event_ids', { type: 'array' }),
      ],
    }),
  ],
])

/** The members of a frame once, and of its kinds what differs: the payload. */
function sayFrame({ oneOf: [first] = [] }: Keywords & { readonly oneOf?: readonly Keywords[] }): Keywords {
  const { properties, ...rest } = Object(first)
  return {
    ...rest,
    properties: { ...properties, kind: { type: 'string', enum: KIND_NAMES }, payload: { type: 'object' } },
    oneOf: KIND_NAMES.map(branchOf),
  }
}

function branchOf(kind: string): Keywords {
  return { properties: { kind: { const: kind }, payload: { $ref: `#/$defs/${kind}` } } }
}

function withMember(name: string, schema: Keywords): Keywords {
  return { required: [name], properties: { [name]: schema } }
}

/** One of the first options where there are as many. */
function amongOptions(count: number): Keywords {
  return {
    properties: {
      options: { type: 'array', minItems: count },
      recommended_idx: { type: 'integer', maximum: count - 1 },
    },
  }
}

function allFalse(names: readonly string[]): Keywords {
  return { required: names, properties: Object.fromEntries(names.map((name) => [name, { const: false }])) }
}
