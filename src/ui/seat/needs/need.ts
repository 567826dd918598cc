/**
 * Something that waits for a person, as the daemon tells it (`GET /v1/needs`, `agentd_need`).
 *
 * What the daemon says is read member by member: a newer one may say more, and a page that was loaded yesterday still
 * shows the rest.
 *
 * @see W-3, SEAT-08, SEAT-21
 */
import { memberOf, objectOf, textMember, type JsonObject } from '../../../core/text/json-object.ts'
import { titleBeside } from '../here/session.ts'
import { messageIn } from '../text/file-refs.ts'
import { timeOf } from '../text/times.ts'

/** What is asked for. `prompt`: a session waits at its own prompt, and cannot be answered from here (SEAT-10). */
type NeedType = 'question' | 'decision' | 'diagnostic' | 'task' | 'approval' | 'prompt'

/** `late`: the asker's window is over, and an answer still goes to it. */
type NeedState = 'open' | 'late' | 'closed'

/** Who asks. */
export interface Asker {
  /** Of the session; of an envelope that no known session sent, the entity; '' for the principal itself. */
  readonly address: string
  /** What people call the session; undefined from a daemon that gives no names, and for an entity. */
  readonly name: string | undefined
  readonly title: string | undefined
  readonly repository: string | undefined
  readonly branch: string | undefined
  readonly isPresent: boolean
}

/** One thing that waits for a person. */
export interface SeatNeed {
  readonly needId: string
  readonly type: NeedType
  readonly addressed: 'you' | 'anyone'
  /** Where it stands in the sequence; undefined for a prompt, which is nothing that was sent. */
  readonly eventId: string | undefined
  /** Wall time in milliseconds. */
  readonly askedAtMs: number
  /** Undefined where nothing ends it. */
  readonly untilMs: number | undefined
  readonly state: NeedState
  /** Who or what closed it, in the daemon's words; undefined while it is open. */
  readonly closedBy: string | undefined
  readonly from: Asker
  /** The question, on as many lines as its sender wrote. */
  readonly text: string
  /** The frame or the envelope it came as; empty for a prompt. */
  readonly message: JsonObject
}

const TYPES: ReadonlySet<string> = new Set<NeedType>([
  'question',
  'decision',
  'diagnostic',
  'task',
  'approval',
  'prompt',
])

/** @returns undefined for what has no id or is of a type that this program does not know */
export function readNeed(value: unknown): SeatNeed | undefined {
  const said = objectOf(value)
  const [needId, type] = [textMember(said, 'need_id'), textMember(said, 'type')]
  if (needId === undefined || type === undefined || !isNeedType(type)) return undefined
  const message = messageIn(said)
  return {
    needId,
    type,
    addressed: textMember(said, 'addressed') === 'you' ? 'you' : 'anyone',
    eventId: textMember(said, 'event_id'),
    askedAtMs: timeOf(said, 'asked_at') ?? 0,
    untilMs: timeOf(said, 'until'),
    state: stateOf(textMember(said, 'state')),
    closedBy: textMember(said, 'closed_by'),
    from: readAsker(objectOf(memberOf(said, 'from')), textMember(message, 'from')),
    text: textMember(said, 'text') ?? '',
    message,
  }
}

function readAsker(said: JsonObject, entity: string | undefined): Asker {
  const name = textMember(said, 'name')
  return {
    address: textMember(said, 'address') ?? entity ?? '',
    name,
    title: titleBeside(name, textMember(said, 'title')),
    repository: textMember(said, 'repository'),
    branch: textMember(said, 'branch'),
    isPresent: memberOf(said, 'present') !== false,
  }
}

function stateOf(state: string | undefined): NeedState {
  return state === 'closed' || state === 'late' ? state : 'open'
}

function isNeedType(type: string): type is NeedType {
  return TYPES.has(type)
}
