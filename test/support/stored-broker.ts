/**
 * A broker over a ring on disk, without HTTP: ended without a word, it leaves what a kill leaves.
 */
import { decodeEnvelopeText } from '../../src/aee/envelope/envelope.ts'
import { Broker } from '../../src/broker/broker.ts'
import type { BrokerLimits } from '../../src/broker/quota/limits.ts'
import type { Remote } from '../../src/broker/remote/remote.ts'
import type { Session } from '../../src/broker/session/session.ts'
import type { Clock } from '../../src/core/clock.ts'
import { AgentdError } from '../../src/core/errors.ts'
import { parseFrame, type Frame } from '../../src/protocol/frame/frame.ts'
import type { EnvelopeReply } from '../../src/protocol/http/envelope-replies.ts'
import type { SubmissionReply } from '../../src/protocol/http/frame-replies.ts'
import type { SqliteLedger } from '../../src/store/ledger.ts'
import type { SqliteRing } from '../../src/store/ring/sqlite-ring.ts'
import { ROOMY_LIMITS } from './broker-limits.ts'
import { FakeClock } from './fake-clock.ts'
import { openPolicy } from './open-policy.ts'

const LIMITS: BrokerLimits = {
  ...ROOMY_LIMITS,
  fanOut: 16_384,
  subscriptions: 100,
  sessions: 100,
  subscriptionBytes: 4_194_304,
  // Shorter than the daemon looks: a newcomer can be there before it has.
  leaseMs: 400,
  strictTime: false,
  limitRates: false,
}

/** Takes over what the ledger has. */
export function brokerOn(
  ring: SqliteRing,
  ledger: SqliteLedger,
  clock: Clock = new FakeClock(),
  remote?: Remote,
): Broker {
  return new Broker({
    ...(remote !== undefined && { remote }),
    principal: '~alice',
    limits: LIMITS,
    ring,
    ledger,
    inheritance: ledger.inheritance(clock.nowMs()),
    clock,
    processes: { startTime: () => undefined, exists: () => false },
    policy: openPolicy(),
    defer: setImmediate,
  })
}

/** Submits one frame. @throws AgentdError when it is refused */
export function submit(
  broker: Broker,
  frame: Frame,
  session?: Session,
  recipientScope?: string,
): Promise<SubmissionReply> {
  const text = JSON.stringify(parseFrame(frame))
  return new Promise((resolve, reject) => {
    broker.submit(
      { head: frame, frame, text, recipientScope },
      { session, principal: '~alice' },
      (outcome) => {
        if (outcome instanceof AgentdError) reject(outcome)
        else resolve(outcome)
      },
    )
  })
}

/** Submits one envelope, or the text of one. @throws AgentdError when it is refused */
export function submitEnvelope(
  broker: Broker,
  envelope: object | string,
  session?: Session,
): Promise<EnvelopeReply> {
  const decoded = decodeEnvelopeText(typeof envelope === 'string' ? envelope : JSON.stringify(envelope))
  return new Promise((resolve, reject) => {
    broker.submitEnvelope(decoded, { session, principal: '~alice' }, (outcome) => {
      if (outcome instanceof AgentdError) reject(outcome)
      else resolve(outcome)
    })
  })
}
