/**
 * What can be with a hub, out of what its client throws.
 *
 * Each is an end in good order: what was fed and not acknowledged is fed again, what was read and not answered is read
 * again (FED-21, FED-26).
 */
import { Failure } from '../../core/errors.ts'
import { messageOf, systemErrorCode } from '../../core/thrown.ts'

/** Whether waiting helps by itself, or somebody has to do something. */
export type HubState = 'away' | 'refused'

/** The hub does not serve this node, and why, in words for `agentd link status`. */
export class HubFault extends Failure {
  override readonly name = 'HubFault'
  override readonly code = 'hub-fault'
  readonly state: HubState

  constructor(state: HubState, why: string, cause?: unknown) {
    super(why, cause === undefined ? undefined : { cause })
    this.state = state
  }
}

/** The hub lets this node in, answers what it is asked, and keeps nothing: it is not up before it does (FT-16). */
export class NotKept extends HubFault {
  constructor(why: string, cause?: unknown) {
    super('away', why, cause)
  }
}

/** The packages of the client are not there, and nothing but installing them helps. */
export class NotInstalled extends Failure {
  override readonly name = 'NotInstalled'
  override readonly code = 'not-installed'
}

/** The engine did not take a batch at the place it was meant for, or did not say: the lane is looked at again (FED-20). */
export class LaneMoved extends Failure {
  override readonly name = 'LaneMoved'
  override readonly code = 'lane-moved'
}

/** The engine's code for a batch that does not follow the lane's last one. */
const WRONG_LAST_SEQUENCE = 10_071

/** What the engine says where its disk, or what it may use of it, is full: no resources, too little storage. */
const NO_ROOM: ReadonlySet<unknown> = new Set([10_023, 10_047])

/** What it says since 2.10, behind the name of a file. */
const NO_SPACE = 'no space left on device'

/** What whoever runs the hub has to do; of 2.9 and 2.15 neither finds by itself that there is room again. */
const MAKE_ROOM =
  'look at "agentd doctor" on its machine, make room there, and start the hub anew: it may go on only then.'

/** What a certificate is refused with, by Node's TLS. */
const CERTIFICATE =
  /^(?:UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|CERT_|ERR_TLS_CERT_|ERR_SSL_|EPROTO)|^(?:HOSTNAME_MISMATCH|INVALID_CA)$/

/** Names of what the client throws → what it means here; the rest are a connection that is not there, or broke. */
const MEANINGS: Readonly<Record<string, (said: string) => HubFault>> = {
  AuthorizationError: () =>
    new HubFault('refused', 'The hub does not know the credential of this node; it may be revoked.'),
  UserAuthenticationExpiredError: () => new HubFault('refused', 'The credential of this node has run out.'),
  PermissionViolationError: (said) => new HubFault('refused', `The hub does not allow it: ${said}.`),
  StreamNotFoundError: () =>
    new HubFault('refused', 'The hub has no stream for this realm; start it with "agentd link hub run".'),
  JetStreamNotEnabled: () =>
    new HubFault('refused', 'The hub has no JetStream: it keeps nothing for who is away.'),
}

/**
 * What an error of the client means.
 *
 * @returns itself where it is one of these already
 */
export function faultOf(error: unknown): Failure {
  if (error instanceof Failure) return error
  const chain = [...causesOf(error)]
  if (chain.some((cause) => engineCode(cause) === WRONG_LAST_SEQUENCE))
    return new LaneMoved(messageOf(error), { cause: error })
  for (const cause of chain) {
    if (!(cause instanceof Error)) continue
    const meaning = MEANINGS[cause.name]?.(cause.message)
    if (meaning !== undefined) return meaning
    if (CERTIFICATE.test(systemErrorCode(cause) ?? ''))
      return new HubFault(
        'refused',
        `The certificate of the hub is not the one that was agreed: ${cause.message}.`,
      )
    if (cause.message === "server does not support 'tls'")
      return new HubFault('refused', 'The hub does not speak TLS, and this link does not go without.')
    const full = wordsOfNoRoom(cause)
    if (full !== undefined)
      return new NotKept(
        `The hub takes nothing more (${full}): its disk is full, or as good as full; ${MAKE_ROOM}`,
        error,
      )
    if (cause.name === 'JetStreamApiError')
      return new HubFault('away', `The hub does not take it: ${cause.message}.`, error)
  }
  return new HubFault('away', `The hub does not answer: ${wordsOf(error)}.`, error)
}

/** Undefined where it is about something else. */
function wordsOfNoRoom(cause: Error): string | undefined {
  if (cause.message.includes(NO_SPACE)) return NO_SPACE
  return NO_ROOM.has(engineCode(cause)) ? cause.message : undefined
}

/** The client makes up an error of its own where a connection is closed before the server has said anything. */
function wordsOf(error: unknown): string {
  const words = messageOf(error)
  return words === '' || words.endsWith('node provided an undefined error') ? 'the connection broke' : words
}

/** The same of a batch, of which nobody knows whether the engine has it when no answer came. */
export function faultOfBatch(error: unknown): Failure {
  return isUnanswered(error) ? new LaneMoved('No acknowledgement came.', { cause: error }) : faultOf(error)
}

/** Whether the client has waited for an answer in vain. */
export function isUnanswered(error: unknown): boolean {
  return [...causesOf(error)].some((cause) => cause instanceof Error && cause.name === 'TimeoutError')
}

/** The server has a batch, and its engine does not say that it keeps it. */
export function noWordOfBatch(): NotKept {
  return new NotKept(
    `The hub does not say that it keeps what it is given: its disk may be full; ${MAKE_ROOM}`,
  )
}

/** The server is there and its engine is not: so it is with nats-server 2.9 whose disk has become full under load (FT-16). */
export function stuckEngine(cause?: unknown): HubFault {
  return new HubFault(
    'away',
    `The hub lets this machine in and answers nothing about its streams: its disk may be full, or their store is stuck; ${MAKE_ROOM}`,
    cause,
  )
}

function* causesOf(error: unknown): Generator<unknown, void, undefined> {
  let next = error
  // A chain of causes has three links at most; one that goes in a circle is none of the client's.
  for (let depth = 0; depth < 8 && next !== undefined; depth += 1) {
    yield next
    next = next instanceof Error ? next.cause : undefined
  }
}

function engineCode(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}
