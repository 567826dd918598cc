/**
 * What a reload may change while the daemon runs: everything that is read where it is applied.
 *
 * The objects stay the same and their fields change, so that every part that was built from them goes on with
 * the new values. What a daemon is built around (socket, principal, profile, state, ack, ring on or off) needs
 * a restart, and the log says so.
 */
import type { BrokerLimits } from '../broker/quota/limits.ts'
import type { RetentionBounds } from '../broker/ring/ring.ts'
import type { AeeConfig, AuthMode, Config } from '../host/config/config.ts'
import type { MemoryBounds } from '../server/request/memory-budget.ts'

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

/** Keys whose change needs a restart. */
const FIXED = ['socketPath', 'principal', 'profile', 'stateDir', 'ack'] as const

export class Settings {
  readonly limits: BrokerLimits
  readonly retention: RetentionBounds
  readonly memory: MemoryBounds
  readonly #limits: Mutable<BrokerLimits>
  readonly #retention: Mutable<RetentionBounds>
  readonly #memory: Mutable<MemoryBounds>
  #config: Config
  /** What the daemon was built with, and runs with until it ends. */
  readonly #started: Config

  constructor(config: Config) {
    this.#config = config
    this.#started = config
    this.#limits = limitsOf(config)
    this.#retention = retentionOf(config)
    this.#memory = memoryOf(config)
    this.limits = this.#limits
    this.retention = this.#retention
    this.memory = this.#memory
  }

  get auth(): AuthMode {
    return this.#config.auth
  }

  get links(): Config['links'] {
    return this.#config.links
  }

  get aee(): AeeConfig {
    return this.#config.aee
  }

  /**
   * Takes over what may change.
   *
   * @returns the keys that differ and need a restart
   */
  apply(config: Config): readonly string[] {
    const before = this.#started
    Object.assign(this.#limits, limitsOf({ ...config, profile: before.profile }))
    Object.assign(this.#retention, retentionOf(config))
    Object.assign(this.#memory, memoryOf(config))
    this.#config = config
    const fixed = FIXED.filter((key) => config[key] !== before[key])
    const recorded = (['recordsVolt', 'recordsWard'] as const).filter(
      (key) => config.aee[key] !== before.aee[key],
    )
    const rest = [...fixed, ...recorded.map((key) => `aee.${key.slice('records'.length).toLowerCase()}`)]
    return config.ring.isOnDisk === before.ring.isOnDisk ? rest : [...rest, 'ring.enabled']
  }
}

function memoryOf({ limits: { waitingBytes } }: Config): MemoryBounds {
  return { waitingBytes }
}

function limitsOf({ limits, leaseMs, mailboxMs, keepAliveMs, profile }: Config): BrokerLimits {
  const isDefault = profile === 'default'
  const strictness = { strictTime: isDefault, limitRates: isDefault, dedupEnvelopes: isDefault }
  return { ...limits, leaseMs, mailboxMs, keepAliveMs, ...strictness }
}

function retentionOf({ ring: { maxFrames, maxBytes, maxAgeMs } }: Config): RetentionBounds {
  return { maxFrames, maxBytes, maxAgeMs }
}
