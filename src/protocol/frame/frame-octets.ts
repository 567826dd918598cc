/**
 * Frames recognised by their octets: nearly all that come are valid and written as `JSON.stringify` writes them, and of those
 * only the head is ever read.
 *
 * @see P-01; docs/decisions/041-validated-as-octets.md
 */
import { unknownPart } from './acceptor.ts'
import { Frame } from './frame.ts'
import type { PlainHead, ReadKind } from './frame-members.ts'
import type { KeptText } from './kept-text.ts'
import type { Kind } from './kinds.ts'
import { compileFields, scanObject, type Field, type Scan } from './octet-scan.ts'
import { NO, endOfString, startsWith } from '../../core/text/octets.ts'

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_OBJECT = 0x7b

const KIND = Buffer.from('"kind":"')

const READ: Readonly<Record<ReadKind, true>> = {
  agent_query: true,
  agent_response: true,
  intent_declare: true,
}

/** A frame found in octets. */
export interface FoundFrame {
  readonly head: PlainHead
  /** Behind its end. */
  readonly end: number
}

type HeadText = 'frame_id' | 'sender_handle' | 'recipient_handle' | 'created_at' | 'acted_by' | 'drafted_with'

/** How frames of one kind are recognised; one is looked at at a time. */
class KindScan {
  readonly kind: PlainHead['kind']
  readonly #scan: Scan
  readonly #texts: Readonly<Record<HeadText, KeptText>>
  readonly #ttlBit: number
  #seen = 0
  #ttlMs = 0

  /** @param shape - of a frame of that kind */
  constructor(kind: PlainHead['kind'], shape: (typeof Frame.options)[number]['shape']) {
    this.kind = kind
    const names = Object.keys(shape)
    this.#ttlBit = 1 << names.indexOf('ttl_ms')
    const fields = compileFields(shape).map((field, i) =>
      names[i] === 'ttl_ms' ? this.#noting(field) : field,
    )
    this.#scan = scanObject(fields, (seen) => {
      this.#seen = seen
    })
    const keptAs = (name: HeadText): KeptText => {
      const kept = fields[names.indexOf(name)]?.kept
      if (kept === undefined) throw unknownPart(name)
      return kept
    }
    this.#texts = {
      frame_id: keptAs('frame_id'),
      sender_handle: keptAs('sender_handle'),
      recipient_handle: keptAs('recipient_handle'),
      created_at: keptAs('created_at'),
      acted_by: keptAs('acted_by'),
      drafted_with: keptAs('drafted_with'),
    }
  }

  find(octets: Buffer, at: number): FoundFrame | undefined {
    const end = this.#scan(octets, at)
    return end === NO ? undefined : { head: this.#head(), end }
  }

  #head(): PlainHead {
    const texts = this.#texts
    return {
      kind: this.kind,
      frame_id: texts.frame_id.text,
      sender_handle: texts.sender_handle.text,
      recipient_handle: texts.recipient_handle.text,
      created_at: texts.created_at.text,
      ttl_ms: (this.#seen & this.#ttlBit) === 0 ? undefined : this.#ttlMs,
      acted_by: texts.acted_by.text,
      drafted_with: texts.drafted_with.text,
    }
  }

  /** As the field, and its number is remembered. */
  #noting(field: Field): Field {
    const scan: Scan = (octets, at) => {
      const end = field.scan(octets, at)
      if (end !== NO) this.#ttlMs = Number(octets.toString('latin1', at, end))
      return end
    }
    return { ...field, scan }
  }
}

const SCANS = new Map<string, KindScan>(
  Frame.options.flatMap(({ shape }) => {
    const [kind] = shape.kind.values
    return kind === undefined || isRead(kind) ? [] : [[kind, new KindScan(kind, shape)]]
  }),
)

/** Those of a kind whose payload is read are parsed in any case. */
function isRead(kind: Kind): kind is ReadKind {
  return Object.hasOwn(READ, kind)
}

/**
 * Recognises a frame.
 *
 * @param octets - UTF-8
 * @param at - where the frame begins
 * @returns undefined for whatever else stands there: an invalid frame, or one that is written in another way
 */
export function findFrame(octets: Buffer, at: number): FoundFrame | undefined {
  const start = startOfKind(octets, at)
  const end = start === NO ? NO : endOfString(octets, start)
  return end === NO ? undefined : SCANS.get(octets.toString('latin1', start, end))?.find(octets, at)
}

/** Where the kind stands, if there are only strings before it. */
function startOfKind(octets: Buffer, at: number): number {
  if (octets[at] !== OPEN_OBJECT) return NO
  for (let next = at + 1; octets[next] === QUOTE;) {
    if (startsWith(octets, next, KIND)) return next + KIND.length
    const nameEnd = endOfString(octets, next + 1)
    if (nameEnd === NO || octets[nameEnd + 1] !== COLON || octets[nameEnd + 2] !== QUOTE) return NO
    const end = endOfString(octets, nameEnd + 3)
    if (end === NO || octets[end + 1] !== COMMA) return NO
    next = end + 2
  }
  return NO
}
