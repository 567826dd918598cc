/**
 * What holds of parameters of a query together, or of one and what stands beside the query: the schema of each alone has no
 * word for it, and OpenAPI neither.
 *
 * Each rule is said here once. The server refuses by it, the OpenAPI document tells it with every parameter that it is about,
 * and a test asks a daemon every pair of parameters there is (test/contract/query-rules.test.ts).
 *
 * @see docs/http.md §§4–7; PD-15
 */
import { AgentdError, type ErrorCode } from '../../core/errors.ts'

/** A query that its schema admits, as it came. */
type Query = Readonly<Record<string, string | undefined>>

/** One rule. */
export interface QueryRule {
  /** The parameters it speaks against; each is the field of a refusal. */
  readonly fields: readonly string[]
  /** The parameters it is about besides. */
  readonly beside: readonly string[]
  /** What holds of a field, as a sentence without its subject and its full stop. */
  readonly says: string
  /** What a request that breaks it is refused with; absent where it says what counts, and nothing is refused. */
  readonly code?: ErrorCode
  /** Whether a query breaks it by itself; absent where it takes more than the query to know. */
  readonly isBroken?: (query: Query) => boolean
}

const CURSOR: readonly QueryRule[] = [
  { fields: ['after'], beside: [], says: 'counts for nothing beside the header Last-Event-ID' },
  { fields: ['replay'], beside: ['after'], says: 'counts for nothing beside "after" or Last-Event-ID' },
]

/** A stream is its session's: who shows a token may leave these out, and not be somebody else. */
export const OWN_SESSION: QueryRule = {
  fields: ['instrument', 'session_id', 'tool'],
  beside: [],
  says: 'has to be that of the session whose token is shown',
  code: 'field-invalid',
}

/** `GET /v1/handles/{handle}/stream` */
export const STREAM_RULES: readonly QueryRule[] = [
  ...CURSOR,
  {
    fields: ['entities'],
    beside: ['profile'],
    says: 'has to be left out beside "profile": a stream of the memo has frames only',
    code: 'field-invalid',
    isBroken: ({ entities = '', profile }) => profile !== undefined && entities !== '',
  },
  {
    fields: ['entities'],
    beside: ['tool'],
    says: 'names a person only where "tool" is human, the session\'s or that of the query',
    code: 'sender-identity-mismatch',
  },
  OWN_SESSION,
]

/** `GET /v1/watch` */
export const WATCH_RULES = CURSOR

/** `GET /v1/handles/{handle}/roster` */
export const ROSTER_RULES: readonly QueryRule[] = [
  {
    fields: ['near'],
    beside: [],
    says: 'is near the session whose token has to be shown',
    code: 'unauthenticated',
  },
]

/** `POST /v1/frames` */
export const SUBMISSION_RULES: readonly QueryRule[] = [
  {
    fields: ['recipient_scope'],
    beside: [],
    says: 'stands in the query or in the body, not in both',
    code: 'field-invalid',
  },
]

/** `GET /v1/events` */
export const EVENTS_RULES: readonly QueryRule[] = [
  {
    fields: ['before'],
    beside: ['after'],
    says: 'has to be left out beside "after": a page goes one way',
    code: 'field-invalid',
    isBroken: ({ before, after }) => before !== undefined && after !== undefined,
  },
]

const CRITERIA = ['event_id', 'corr', 'sender', 'kind', 'before', 'up_to']

/** `DELETE /v1/frames` */
export const FORGET_RULES: readonly QueryRule[] = [
  {
    fields: ['frame_id'],
    beside: [...CRITERIA, 'dry_run', 'everywhere'],
    says: `is required unless there is one of ${CRITERIA.join(', ')}`,
    code: 'field-missing',
    isBroken: (query) => ['frame_id', ...CRITERIA].every((name) => query[name] === undefined),
  },
]

/** `GET /v1/frames/{frame_id}` and `GET /v1/envelopes/{id}/receipts` */
export const RECEIPTS_RULES: readonly QueryRule[] = [
  { fields: ['timeout_ms'], beside: ['wait'], says: 'counts for nothing without "wait"' },
]

/** A rule about one of its fields as the OpenAPI document tells it, with the code of a refusal. */
export function describeRule({ says, code }: QueryRule, field: string): string {
  return `"${field}" ${says}${code === undefined ? '' : ` (\`${code}\`)`}.`
}

/** What breaks a rule that refuses is refused with. */
export function brokenRule(
  { says, code = 'field-invalid', fields }: QueryRule,
  field = fields[0],
): AgentdError {
  return new AgentdError(code, `"${field}" ${says}.`, field === undefined ? {} : { field })
}
