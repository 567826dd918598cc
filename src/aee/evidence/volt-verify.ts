/**
 * Verifying a VOLT ledger, line by line: in strict mode, without gaps.
 *
 * What VOLT verifies of a bundle only, its manifest, attachments and signatures, has no place here: a ledger is the
 * events alone. So nothing shows when somebody has rewritten all of it, or cut off its end.
 *
 * @see VOLT 0.1 "Verification", docs/requirements.md §2.3
 */
import { UsageError } from '../../core/errors.ts'
import { LedgerFaults, isHash, isSeq, isFilledText, isUtcTime, isVersion } from './ledger-report.ts'
import { ledgerMemberFault, readLedgerLine } from './ledger-report.ts'
import type { LedgerFault, LedgerLine, LedgerMemberRule } from './ledger-report.ts'
import { readMember } from '../envelope/record.ts'
import type { RecordMembers } from '../envelope/record.ts'
import { VOLT_GENESIS, VOLT_VERSION, voltHash } from './volt.ts'
import type { VoltEvent, VoltLink } from './volt.ts'
import { isJsonObject } from '../../core/text/json-object.ts'

/** VOLT's own words for what can be wrong. */
export type VoltFaultCode =
  | 'INVALID_EVENT_JSON'
  | 'EVENT_SCHEMA_INVALID'
  | 'VERSION_MISMATCH'
  | 'RUN_ID_MISMATCH'
  | 'SEQ_GAP'
  | 'SEQ_DUPLICATE'
  | 'SEQ_NOT_MONOTONIC'
  | 'EVENT_HASH_MISMATCH'
  | 'INVALID_GENESIS_PREV_HASH'
  | 'CHAIN_BROKEN'

/** What was found. */
export interface VoltReport {
  readonly verdict: 'PASS' | 'FAIL'
  /** Events that could be read. */
  readonly events: number
  /** The last of them: what the next event follows. */
  readonly last: VoltLink | undefined
  /** At most a hundred. */
  readonly faults: readonly LedgerFault<VoltFaultCode>[]
  readonly faultCount: number
}

const EVENT_TYPE = /^[a-z][a-z0-9]*(?:\.[a-z][a-z0-9_]*)+$/

const ACTOR_TYPES: readonly unknown[] = ['agent', 'human', 'system', 'tool', 'runner']

const RULES: readonly LedgerMemberRule[] = [
  ['volt_version', isVersion, 'a version such as "0.1"'],
  ['event_id', isFilledText, 'a text'],
  ['run_id', isFilledText, 'a text'],
  ['ts', isUtcTime, 'a time in UTC such as 2026-02-28T19:00:00.000Z'],
  ['seq', isSeq, 'a whole number from 1'],
  [
    'event_type',
    (value) => typeof value === 'string' && EVENT_TYPE.test(value),
    'dotted words such as run.started',
  ],
  ['actor', isActor, 'an object with "actor_type" and "actor_id"'],
  [
    'context',
    (value) => isJsonObject(value) && isFilledText(readMember(value, 'correlation_id')),
    'an object with "correlation_id"',
  ],
  ['payload', isJsonObject, 'an object'],
  ['prev_hash', isHash, '64 lower-case hex digits'],
  ['hash', isHash, '64 lower-case hex digits'],
]

/** Looks through a ledger from its first line. One without an event fails: nothing was verified. */
export function verifyVolt(lines: Iterable<LedgerLine>): VoltReport {
  const look = new VoltLook()
  for (const line of lines) look.take(line)
  return look.report()
}

/** One look through one ledger, for whoever hands over its lines bit by bit. */
export class VoltLook {
  readonly #faults = new LedgerFaults<VoltFaultCode>()
  #last: VoltLink | undefined
  #events = 0

  take({ line, number }: LedgerLine): void {
    const event = readLine(line, number, this.#faults)
    if (event === undefined) return
    for (const { code, message } of faultsOf(event, this.#last)) this.#faults.add(number, code, message)
    this.#events += 1
    // The run is that of the first event: a stranger in between does not take the rest with it.
    this.#last = { run_id: this.#last?.run_id ?? event.run_id, seq: event.seq, hash: event.hash }
  }

  /** What was found; to be asked once, behind the last line. */
  report(): VoltReport {
    const faults = this.#faults
    if (this.#events === 0 && faults.count === 0) faults.add(1, 'INVALID_EVENT_JSON', 'There is no event.')
    const verdict = faults.count === 0 ? 'PASS' : 'FAIL'
    return { verdict, events: this.#events, last: this.#last, faults: faults.kept, faultCount: faults.count }
  }
}

/** Whether a line is an event in form: what a ledger that is taken up again has as its last line. */
export function readVoltEvent(line: Uint8Array): VoltEvent | undefined {
  const record = readLedgerLine(line)
  return record !== undefined && isVoltEvent(record) ? record : undefined
}

function readLine(
  line: Uint8Array,
  number: number,
  faults: LedgerFaults<VoltFaultCode>,
): VoltEvent | undefined {
  const record = readLedgerLine(line)
  if (record === undefined) {
    faults.add(number, 'INVALID_EVENT_JSON', 'The line is not one JSON object.')
    return undefined
  }
  if (isVoltEvent(record)) return record
  faults.add(number, 'EVENT_SCHEMA_INVALID', ledgerMemberFault(record, RULES) ?? '')
  return undefined
}

function isVoltEvent(record: RecordMembers): record is RecordMembers & VoltEvent {
  return ledgerMemberFault(record, RULES) === undefined
}

type Found = Pick<LedgerFault<VoltFaultCode>, 'code' | 'message'>

function faultsOf(event: VoltEvent, last: VoltLink | undefined): readonly Found[] {
  const found: (Found | undefined)[] = [
    event.volt_version === VOLT_VERSION
      ? undefined
      : { code: 'VERSION_MISMATCH', message: `The event is not of version ${VOLT_VERSION}.` },
    last === undefined || event.run_id === last.run_id
      ? undefined
      : { code: 'RUN_ID_MISMATCH', message: 'The event is of another run than the first one.' },
    seqFault(event.seq, last?.seq ?? 0),
    hashFault(event),
    chainFault(event, last),
  ]
  return found.filter((fault) => fault !== undefined)
}

function seqFault(seq: number, lastSeq: number): Found | undefined {
  if (seq === lastSeq + 1) return undefined
  const message = `"seq" is ${seq} and should be ${lastSeq + 1}.`
  if (seq === lastSeq) return { code: 'SEQ_DUPLICATE', message }
  return { code: seq < lastSeq ? 'SEQ_NOT_MONOTONIC' : 'SEQ_GAP', message }
}

function hashFault(event: VoltEvent): Found | undefined {
  try {
    if (voltHash(event) === event.hash) return undefined
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    return { code: 'EVENT_SCHEMA_INVALID', message: error.message }
  }
  return { code: 'EVENT_HASH_MISMATCH', message: 'The event is not the one its "hash" was made of.' }
}

function chainFault(event: VoltEvent, last: VoltLink | undefined): Found | undefined {
  if (last === undefined) {
    return event.prev_hash === VOLT_GENESIS
      ? undefined
      : { code: 'INVALID_GENESIS_PREV_HASH', message: 'The "prev_hash" of the first event must be 64 zeros.' }
  }
  return event.prev_hash === last.hash
    ? undefined
    : { code: 'CHAIN_BROKEN', message: '"prev_hash" is not the hash of the event before.' }
}

function isActor(value: unknown): boolean {
  return (
    isJsonObject(value) &&
    ACTOR_TYPES.includes(readMember(value, 'actor_type')) &&
    isFilledText(readMember(value, 'actor_id'))
  )
}
