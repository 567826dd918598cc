/**
 * The desk of hooks over a real broker in this process: for what a process would have to be waited for, and for clocks in
 * the test's hand.
 */
import { writeFileSync } from 'node:fs'
import { Broker } from '../../src/broker/broker.ts'
import type { BrokerLimits } from '../../src/broker/quota/limits.ts'
import type { Remote } from '../../src/broker/remote/remote.ts'
import { MemoryRing } from '../../src/broker/ring/memory/memory-ring.ts'
import { NOTHING_INHERITED, forgetfulLedger } from '../../src/broker/session/ledger.ts'
import { callVerb } from '../../src/broker/verb-call.ts'
import { systemClock, type Clock } from '../../src/core/clock.ts'
import type { LogFields } from '../../src/core/log.ts'
import { readEnvironment } from '../../src/host/config/paths.ts'
import { isForebear } from '../../src/host/process/ancestry.ts'
import { processExists, processStartTime } from '../../src/host/process/processes.ts'
import { HookDesk } from '../../src/hooks/desk.ts'
import type { HookRecords, HookTexts } from '../../src/hooks/memory/hook-records.ts'
import { stateKey } from '../../src/hooks/memory/hook-state.ts'
import { RHYTHM, type Rhythm } from '../../src/hooks/wake/rhythm.ts'
import type { VerbReply } from '../../src/protocol/http/frame-replies.ts'
import { VERBS, type VerbName } from '../../src/protocol/verb/verbs.ts'
import { payloadOf, type Payload } from '../runtimes/support/fixtures.ts'
import { ROOMY_LIMITS } from '../support/broker-limits.ts'
import { openPolicy } from '../support/open-policy.ts'
import { createTempDir, type TempDir } from '../support/temp-dir.ts'
import { Changes } from '../support/within.ts'

const LIMITS: BrokerLimits = {
  ...ROOMY_LIMITS,
  submissionsPerSecond: 100_000,
  submissionBurst: 100_000,
  sharePercent: 100,
  fanOut: 1_000,
  subscriptions: 100,
  watchers: 16,
  sessions: 1_000,
  limitRates: false,
}

/** What is written down, where a test can see it and change it. */
export class KeptRecords implements HookRecords {
  epoch = 'e1'
  readonly texts = new Map<string, string>()

  all(): readonly string[] {
    return [...this.texts.values()]
  }

  save(texts: HookTexts): void {
    for (const [key, text] of texts) this.texts.set(key, text)
  }

  remove(key: string): void {
    this.texts.delete(key)
  }
}

/** What only a child of the runtime sees. */
export interface Told {
  readonly env?: Readonly<Record<string, string>>
  readonly pid?: number
  readonly program?: string
  /** The process that asks, as the kernel would say; this one's, for instance. */
  readonly peerPid?: number
}

/** A line of `AGENTD_DEBUG`. */
type Line = LogFields & { readonly what: string }

interface DeskOptions {
  readonly clock?: Clock
  readonly rhythm?: Partial<Rhythm>
  /** The `hooks` section of the configuration. */
  readonly settings?: object
  /** The nodes it is linked with; absent, none. */
  readonly remote?: Remote
}

/** A desk. Use it with `await using`. */
export class TestDesk implements AsyncDisposable {
  readonly dir: TempDir
  readonly broker: Broker
  readonly clock: Clock
  readonly records = new KeptRecords()
  readonly lines: Line[] = []
  readonly changes = new Changes()
  readonly #options: DeskOptions
  #desk: HookDesk

  constructor(dir: TempDir, options: DeskOptions) {
    this.dir = dir
    this.#options = options
    this.clock = options.clock ?? systemClock
    if (options.settings !== undefined)
      writeFileSync(dir.file('agentd.json'), JSON.stringify({ hooks: options.settings }), { mode: 0o600 })
    this.broker = new Broker({
      principal: '~alice',
      limits: LIMITS,
      ...(options.remote !== undefined && { remote: options.remote }),
      ring: new MemoryRing('e1', { maxFrames: 10_000, maxBytes: 1 << 28, maxAgeMs: 1 << 30 }),
      ledger: forgetfulLedger,
      inheritance: NOTHING_INHERITED,
      clock: this.clock,
      processes: { startTime: (pid) => processStartTime(pid), exists: processExists, isForebear },
      policy: openPolicy(),
      defer: setImmediate,
    })
    this.#desk = this.#open()
  }

  get desk(): HookDesk {
    return this.#desk
  }

  /**
   * Another desk in the place of this one, which knows what was written down; the broker stays.
   *
   * @param options.isForgetful - what this one has still to write down is lost, as with a kill
   */
  reopen({ isForgetful = false } = {}): void {
    const kept = new Map(this.records.texts)
    this.#desk.close()
    if (isForgetful) this.records.save(kept)
    this.#desk = this.#open()
  }

  /** What a hook would print, given as written; empty for nothing. */
  async event(runtime: string, name: string, changes: Payload = {}, told?: Told): Promise<string> {
    return this.post(runtime, JSON.stringify(payloadOf(runtime, name, changes)), told)
  }

  /** As {@link event}, of any text. @throws AgentdError as the desk refuses */
  async post(runtime: string, text: string, told?: Told): Promise<string> {
    const { peerPid, ...header } = told ?? {}
    const isTold = Object.keys(header).length > 0
    const surroundings = isTold ? Buffer.from(JSON.stringify(header)).toString('base64url') : undefined
    const payload = new TextEncoder().encode(text)
    const reply = await this.desk.answer({ runtime, payload, surroundings, peerPid })
    reply?.written()
    return reply?.text ?? ''
  }

  /** A question to one session. */
  ask(id: string, text = 'which port?', runtime = 'claude-code'): Promise<unknown> {
    return this.say('agent_query', { text, recipient_scope: this.desk.hooked(runtime, id)?.address })
  }

  say(verb: VerbName, body: object): Promise<VerbReply> {
    const caller = { principal: '~alice', session: undefined }
    return callVerb({ broker: this.broker, caller, clock: this.clock }, VERBS[verb], body)
  }

  /** What is written down of a session; whatever was to be is, then. */
  // oxlint-disable-next-line typescript/no-explicit-any
  stateOf(id: string, runtime = 'claude-code'): any {
    return JSON.parse(this.records.texts.get(stateKey(runtime, id)) ?? '{}')
  }

  /** Changes what is written down of a session, and has another desk read it. */
  remember(id: string, members: object, runtime = 'claude-code'): void {
    this.#desk.close()
    const text = JSON.stringify({ ...this.stateOf(id, runtime), ...members })
    this.records.save([[stateKey(runtime, id), text]])
    this.#desk = this.#open()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#desk.close()
    this.broker.close()
    await this.dir[Symbol.asyncDispose]()
  }

  #open(): HookDesk {
    const { dir, clock, broker, records } = this
    const env = { HOME: dir.path, PATH: process.env['PATH'], AGENTD_CONFIG: dir.file('agentd.json') }
    return new HookDesk({
      broker,
      clock,
      environment: { ...readEnvironment(), env },
      records,
      rhythm: { ...RHYTHM, ...this.#options.rhythm },
      socketPath: dir.file('agentd.sock'),
      debug: (what, fields) => {
        this.lines.push({ what, ...fields })
        this.changes.tell()
      },
    })
  }
}

export async function openDesk(options: DeskOptions = {}): Promise<TestDesk> {
  return new TestDesk(await createTempDir(), options)
}
