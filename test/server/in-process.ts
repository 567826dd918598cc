/**
 * The real server over a real socket in this process, with the clock in the test's hand: for bounds that would
 * take seconds to wait for.
 */
import { once } from 'node:events'
import type { Server } from 'node:http'
import { Broker } from '../../src/broker/broker.ts'
import { NOTHING_INHERITED, forgetfulLedger } from '../../src/broker/session/ledger.ts'
import type { Clock } from '../../src/core/clock.ts'
import type { BrokerLimits } from '../../src/broker/quota/limits.ts'
import { MemoryRing } from '../../src/broker/ring/memory/memory-ring.ts'
import { Admission, type AdmissionRules } from '../../src/server/request/admission.ts'
import { MemoryBudget, type MemoryBounds } from '../../src/server/request/memory-budget.ts'
import type { McpService } from '../../src/server/request/context.ts'
import { UNLINKED, type LinksPort } from '../../src/server/ports/link-port.ts'
import { NeedsLoader } from '../../src/daemon/serving/needs-loader.ts'
import { createAgentdServer } from '../../src/server/server.ts'
import { ROOMY_LIMITS } from '../support/broker-limits.ts'
import { FakeClock } from '../support/fake-clock.ts'
import { openPolicy } from '../support/open-policy.ts'
import type { Remote } from '../../src/broker/remote/remote.ts'
import { createTempDir } from '../support/temp-dir.ts'
import { silentLog } from '../support/silent-log.ts'

const LIMITS: BrokerLimits = {
  ...ROOMY_LIMITS,
  submissionsPerSecond: 1_000,
  submissionBurst: 1_000,
  fanOut: 100,
  subscriptions: 100,
  watchers: 16,
  sessions: 100,
}

export interface InProcess extends AsyncDisposable {
  readonly socket: string
  readonly clock: FakeClock
  readonly broker: Broker
  readonly server: Server
  /** Lets time pass once everything that was on its way has been handled. */
  advance(ms: number): Promise<void>
}

export async function startInProcess(
  options: {
    limits?: Partial<BrokerLimits>
    admission?: Partial<AdmissionRules>
    memory?: MemoryBounds
    mcp?: McpService
    links?: LinksPort
    /** The nodes it is linked with; absent, none. */
    remote?: Remote
    /** What it goes by in the place of the clock in the test's hand, where others wait for it. */
    time?: Clock
  } = {},
): Promise<InProcess> {
  const dir = await createTempDir()
  // Frames say when they were made, and are made now.
  const clock = new FakeClock(Date.now())
  const time = options.time ?? clock
  const broker = new Broker({
    principal: '~alice',
    limits: { ...LIMITS, ...options.limits },
    ...(options.remote !== undefined && { remote: options.remote }),
    ring: new MemoryRing('e1', { maxFrames: 10_000, maxBytes: 1 << 28, maxAgeMs: 1 << 30 }),
    ledger: forgetfulLedger,
    inheritance: NOTHING_INHERITED,
    clock: time,
    processes: { startTime: () => undefined, exists: () => false },
    policy: openPolicy(),
    defer: setImmediate,
  })
  const needs = new NeedsLoader({ broker, clock: time })
  const server = createAgentdServer({
    broker,
    clock: time,
    log: silentLog,
    debug: undefined,
    facts: {
      version: '0.0.0',
      socketPath: '/nowhere/agentd.sock',
      instanceId: 'x',
      startedAtMs: clock.nowMs(),
      checksPeers: false,
      details: () => [],
    },
    records: { logLine() {}, refused() {} },
    mcp: options.mcp ?? { reserve: () => Promise.reject(new Error('nobody serves tools here')) },
    memory: new MemoryBudget({ waitingBytes: 64 * 1024 * 1024, ...options.memory }),
    admission: new Admission({ maxConnections: 100, isOwner: () => true, ...options.admission }),
    peerPidOf: () => undefined,
    hooks: () => Promise.reject(new Error('no hook comes here')),
    needs: needs.get,
    texts: {
      keep: () => Promise.reject(new Error('no text is kept here')),
      read: () => Promise.resolve(undefined),
    },
    links: options.links ?? UNLINKED,
    requiresToken: () => false,
    isPersonKey: () => false,
    stop: () => {},
    closing: new AbortController().signal,
    defer: setImmediate,
  })
  server.listen({ path: dir.file('s') })
  await once(server, 'listening')
  return {
    socket: dir.file('s'),
    clock,
    broker,
    server,
    async advance(ms) {
      await settled()
      clock.advance(ms)
      await settled()
    },
    async [Symbol.asyncDispose]() {
      await needs.close()
      broker.close()
      server.closeAllConnections()
      server.close()
      await dir[Symbol.asyncDispose]()
    },
  }
}

/** A few turns of the loop: bytes that were written before have been read. */
async function settled(): Promise<void> {
  for (let i = 0; i < 20; i += 1) await new Promise((resolve) => setImmediate(resolve))
}
