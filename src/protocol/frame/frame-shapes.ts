/**
 * Frames recognised by their shape: nearly all that come are valid, are written as `JSON.stringify` writes them, and have the
 * members that others before them had, in that order; and of those only the head is ever read.
 *
 * @see P-01; docs/decisions/044-recognised-by-shape.md
 */
import { unknownPart } from './acceptor.ts'
import { Frame, type FrameOf } from './frame.ts'
import type { FrameMembers, PlainHead, ReadKind } from './frame-members.ts'
import type { Kind } from './kinds.ts'
import { compileMembers, patternOf, type Judge, type Members } from './text-pattern.ts'

/** Shapes of one kind that are known at once; the one that was least lately seen gives way. */
const MAX_SHAPES = 8

/** How often a shape comes before it is learnt: an expression costs as much as some twenty frames that are parsed. */
const TIMES_BEFORE_LEARNT = 4

/** Shapes that are counted at once. One among more than so many is none that comes again and again. */
const MAX_COUNTED = 64

/** Longer texts are judged anew each time. */
const MAX_KEPT = 64

const READ: Readonly<Record<ReadKind, true>> = {
  agent_query: true,
  agent_response: true,
  intent_declare: true,
}

const KIND = '"kind":"'

/** What differs from frame to frame. */
const PASSING_NAMES = ['frame_id', 'created_at'] as const

/** What a head is made of, the kind aside. */
const HEAD_NAMES = [
  ...PASSING_NAMES,
  'sender_handle',
  'recipient_handle',
  'ttl_ms',
  'acted_by',
  'drafted_with',
] as const

/** A group of an expression, and what it held when it was last good: what was good once is good again. */
interface Group {
  readonly judge: Judge
  /** False where no two frames are likely to say the same. */
  readonly isKept: boolean
  last: string | undefined
}

/** Which group holds what of a head; {@link NOWHERE} for what a shape has not. */
type Places = Readonly<Record<(typeof HEAD_NAMES)[number], number>>

const NOWHERE = -1

/** Frames of one kind with the same members in the same order. */
class FrameShape {
  readonly #kind: PlainHead['kind']
  readonly #expression: RegExp
  readonly #groups: readonly Group[]
  readonly #places: Places

  constructor(frame: FrameMembers & Pick<PlainHead, 'kind'>, members: Members) {
    const { source, groups } = patternOf(members, frame)
    this.#kind = frame.kind
    this.#expression = new RegExp(`^${source}$`)
    this.#places = placesOf(frame, members)
    const passing = new Set(PASSING_NAMES.map((name) => this.#places[name]))
    this.#groups = groups.map((judge, i) => ({ judge, isKept: !passing.has(i), last: undefined }))
  }

  /** @returns undefined for a frame of another shape, and for an invalid one */
  find(text: string): PlainHead | undefined {
    const found = this.#expression.exec(text)
    if (found === null) return undefined
    for (let i = 0; i < this.#groups.length; i += 1)
      if (!isGood(this.#groups[i], found[i + 1] ?? '')) return undefined
    const places = this.#places
    return {
      kind: this.#kind,
      frame_id: this.#textAt(places.frame_id, found),
      sender_handle: this.#textAt(places.sender_handle, found),
      recipient_handle: this.#textAt(places.recipient_handle, found),
      created_at: this.#textAt(places.created_at, found),
      ttl_ms: places.ttl_ms === NOWHERE ? undefined : Number(this.#textAt(places.ttl_ms, found)),
      acted_by: this.#textAt(places.acted_by, found),
      drafted_with: this.#textAt(places.drafted_with, found),
    }
  }

  #textAt(place: number, found: RegExpExecArray): string {
    return this.#groups[place]?.last ?? found[place + 1] ?? ''
  }
}

function placesOf(frame: FrameMembers, members: Members): Places {
  const places = new Map<string, number>()
  let groups = 0
  for (const [name, value] of Object.entries(frame)) {
    places.set(name, groups)
    groups += members.get(name)?.(value).groups.length ?? 0
  }
  const placeOf = (name: keyof Places): number => places.get(name) ?? NOWHERE
  return {
    frame_id: placeOf('frame_id'),
    created_at: placeOf('created_at'),
    sender_handle: placeOf('sender_handle'),
    recipient_handle: placeOf('recipient_handle'),
    ttl_ms: placeOf('ttl_ms'),
    acted_by: placeOf('acted_by'),
    drafted_with: placeOf('drafted_with'),
  }
}

function isGood(group: Group | undefined, text: string): boolean {
  if (group === undefined) return false
  if (text === group.last) return true
  if (!group.judge(text)) return false
  // A text of its own, that keeps nothing of what it was cut out of.
  group.last = group.isKept && text.length <= MAX_KEPT ? Buffer.from(text).toString() : undefined
  return true
}

/** Shapes that came again and again, by what they were learnt from. */
class FrameShapes {
  /** By kind; made when they are asked for, since a start would wait for all of them. */
  readonly #members = new Map<string, Members>()
  /** Those of a kind, the one that was last seen first. */
  readonly #known = new Map<string, FrameShape[]>()
  /** Of all of them: what came last comes again. */
  #last: FrameShape | undefined
  /** How often a shape has come that is not known. */
  readonly #counts = new Map<string, number>()

  find(text: string): PlainHead | undefined {
    return this.#last?.find(text) ?? this.#findByKind(text)
  }

  #findByKind(text: string): PlainHead | undefined {
    const shapes = this.#known.get(kindIn(text))
    if (shapes === undefined) return undefined
    for (let i = 0; i < shapes.length; i += 1) {
      const shape = shapes[i]
      // It has been asked already.
      const head = shape === this.#last ? undefined : shape?.find(text)
      if (head === undefined) continue
      this.#last = shape
      if (i > 0) shapes.unshift(...shapes.splice(i, 1))
      return head
    }
    return undefined
  }

  learn(frame: Frame, text: string): void {
    if (isReadFrame(frame) || !this.#isTime(frame)) return
    const shape = new FrameShape(frame, this.#membersOf(frame.kind))
    if (shape.find(text) === undefined) return
    const known = this.#known.get(frame.kind) ?? []
    this.#known.set(frame.kind, [shape, ...known.slice(0, MAX_SHAPES - 1)])
  }

  #membersOf(kind: Kind): Members {
    const known = this.#members.get(kind)
    if (known !== undefined) return known
    const members = compileKind(kind)
    this.#members.set(kind, members)
    return members
  }

  /** Whether a shape has come just as often as it takes. */
  #isTime({ kind, ...frame }: Frame): boolean {
    const key = `${kind} ${Object.keys(frame).join()} ${Object.keys(frame.payload).join()}`
    const count = (this.#counts.get(key) ?? 0) + 1
    if (this.#counts.size >= MAX_COUNTED) this.#counts.clear()
    this.#counts.set(key, count)
    return count % TIMES_BEFORE_LEARNT === 0
  }
}

/** @throws TypeError where a member of a head is no single group */
function compileKind(kind: Kind): Members {
  const option = Frame.options.find(({ shape }) => new Set<string>(shape.kind.values).has(kind))
  if (option === undefined) throw unknownPart(kind)
  const members = compileMembers(option.shape)
  for (const name of HEAD_NAMES)
    if (members.get(name)?.(undefined).groups.length !== 1) throw unknownPart(name)
  return members
}

/** Where it is told of the frame itself; what is found only guides: the whole text is matched. */
function kindIn(text: string): string {
  const start = text.indexOf(KIND) + KIND.length
  return text.slice(start, text.indexOf('"', start))
}

/** Those of a kind whose payload is read are parsed in any case. */
function isRead(kind: Kind): kind is ReadKind {
  return Object.hasOwn(READ, kind)
}

function isReadFrame(frame: Frame): frame is FrameOf<ReadKind> {
  return isRead(frame.kind)
}

const SHAPES = new FrameShapes()

/**
 * Recognises a frame.
 *
 * @param text - well-formed
 * @returns undefined for whatever else it is: an invalid frame, or one that is written or shaped in another way
 */
export function findFrame(text: string): PlainHead | undefined {
  return SHAPES.find(text)
}

/** Frames like one that had to be parsed are recognised, when enough of them have come. */
export function learnFrame(frame: Frame, text: string): void {
  SHAPES.learn(frame, text)
}
