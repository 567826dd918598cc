/**
 * The one list of what the daemon may refuse though a published schema admits it: what JSON Schema has no word for.
 *
 * Nothing is in it the other way round: what a schema refuses, the daemon refuses.
 */
import { AgentdError } from '../../src/core/errors.ts'
import { orRefusal } from '../../src/core/thrown.ts'
import { publishedSchema, satisfies } from '../support/published.ts'
import type { Instance } from './instances.ts'

/** What the daemon says of what it refuses. */
export interface Refused {
  readonly code: string
  readonly message: string
  readonly field?: string | undefined
}

/** One rule that no schema can say. */
interface BeyondSchema {
  /** How the description of a schema tells it; one of these. */
  readonly told: readonly RegExp[]
  /** Whether the daemon refused by this rule. */
  readonly refuses: (refusal: Refused) => boolean
}

/** Rule → how it is told, and how it shows. */
export const BEYOND_SCHEMA: Readonly<Record<string, BeyondSchema>> = {
  'a member twice': {
    told: [/names a member twice/],
    refuses: ({ message }) => message.endsWith('names a member twice.'),
  },
  'too many levels': {
    told: [/more than 64 levels/],
    refuses: ({ message }) => message.endsWith('is nested more than 64 levels deep.'),
  },
  'the size of the whole': {
    told: [/a frame of more than 65536 octets/, /one of more than 1048576 octets/],
    refuses: ({ code }) => code === 'frame-too-large' || code === 'envelope-too-large',
  },
  'the octets of a text': {
    told: [/x-min-octets or more than x-max-octets/],
    refuses: ({ message }) => / must be \d+ to \d+ UTF-8 octets long\.$/.test(message),
  },
  'half of a surrogate pair': {
    told: [/not well-formed Unicode/],
    refuses: ({ message }) => message.endsWith(' must be well-formed Unicode.'),
  },
  'the time of now': {
    told: [/a created_at too far from now/],
    refuses: ({ message }) => /^"created_at" lies too far in the (?:past|future)\.$/.test(message),
  },
  'an instrument that is the principal': {
    told: [/a drafted_with that is the acted_by/],
    refuses: ({ field, message }) => field === 'drafted_with' && message.includes('not the principal'),
  },
  'an intent of somebody else': {
    told: [/an intent whose acted_by or drafted_with is not that of its frame/],
    refuses: ({ message }) =>
      /^"payload\.(?:acted_by|drafted_with)" must equal the frame's \w+\.$/.test(message),
  },
  'a sender who is somebody else': {
    told: [/a sender_handle or acted_by that is not who sends/],
    refuses: ({ code }) => code === 'sender-identity-mismatch',
  },
  'a scope that is not for the sender': {
    told: [/a scope that the recipient_handle is not in, or that its sender may not send to/],
    refuses: ({ code }) => code === 'scope-unauthorised' || code === 'scope-unimplemented',
  },
  'an id that another frame had': {
    told: [/a frame_id that another frame had/],
    refuses: ({ message }) => message.startsWith('"frame_id" was used for another frame'),
  },
}

/** What schema and daemon say of one value. */
interface Judged {
  readonly schema: string
  readonly isAdmitted: boolean
  readonly refusal: Refused | undefined
}

/** @returns the name of the rule by which the two differ; a sentence where there is none; undefined where they agree */
export function differenceIn({ schema, isAdmitted, refusal }: Judged): string | undefined {
  if (isAdmitted === (refusal === undefined)) return undefined
  if (refusal === undefined) return `The schema "${schema}" refuses what the daemon takes.`
  const [name, rule] = Object.entries(BEYOND_SCHEMA).find(([, one]) => one.refuses(refusal)) ?? []
  if (name === undefined) return `The schema "${schema}" admits what the daemon refuses: ${refusal.message}`
  const description = String(publishedSchema(schema)['description'])
  if (rule?.told.some((words) => words.test(description)) !== true)
    return `The schema "${schema}" does not tell ${name}: ${refusal.message}`
  return name
}

/** As {@link differenceIn}, of a value that is read here. */
export function compare({ schema, value, read }: Instance): string | undefined {
  const outcome = orRefusal(read)
  const refusal = outcome instanceof AgentdError ? outcome : undefined
  return differenceIn({ schema, isAdmitted: value !== undefined && satisfies(schema, value), refusal })
}
