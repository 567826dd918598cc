/**
 * What the daemon was told, as one frozen value: defaults, then the file, then the environment, then flags.
 *
 * It fails closed. A key it does not know, a value out of range, or a file others may write stops the start:
 * a daemon that guesses its configuration is worse than one that does not run.
 *
 * @see docs/http.md §1
 */
import { UsageError } from '../../core/errors.ts'
import { ProfileName, readConfigFile, type ConfigFile } from './config-file.ts'
import { LinkSection, type LinksFile } from './link-section.ts'
import { resolveSocketPath, stateDir } from './paths.ts'
import type { Environment, SocketPlace, SocketSource } from './paths.ts'
import { principalFrom } from './principal.ts'
import { HostRefusal } from '../files/refusal.ts'

/** `conformance` switches off plausibility, rate limits and the dedup of envelopes (docs/http.md §1). */
export type Profile = 'default' | 'conformance'

/** Who may speak: whoever reaches the socket, or only who holds a session's token (docs/http.md §2). */
export type AuthMode = 'socket' | 'session'

/** What an answer stands for: written to the kernel, or flushed to the disk (docs/http.md §5). */
export type AckConfig = 'process' | 'disk'

/** How much the ring keeps; the first bound reached trims it. */
export interface RingConfig {
  /** Whether frames are kept on disk, over the daemon's end; otherwise in memory. */
  readonly isOnDisk: boolean
  readonly maxFrames: number
  readonly maxBytes: number
  readonly maxAgeMs: number
}

/** What one client can take from the others; each bound answers with a documented error. */
export interface LimitsConfig {
  readonly submissionsPerSecond: number
  readonly submissionBurst: number
  readonly sendersAtOnce: number
  readonly sharePercent: number
  readonly protectMs: number
  readonly fanOut: number
  readonly subscriptions: number
  readonly watchers: number
  readonly sessions: number
  readonly subscriptionBytes: number
  readonly slowConsumerMs: number
  readonly waitingBytes: number
  readonly priorityPerMinute: number
  readonly priorityBurst: number
}

/** What is done with envelopes besides carrying them. */
export interface AeeConfig {
  readonly isStrict: boolean
  readonly signatures: 'verify' | 'require' | 'relay'
  readonly allowTenFields: boolean
  /** Folders with the schemas of intents. */
  readonly schemaFolders: readonly string[]
  /** Intent, `prefix.*` or `*` → what is done about a payload that does not fit. */
  readonly payloads: Readonly<Record<string, 'off' | 'warn' | 'enforce'>>
  readonly isLogged: boolean
  readonly recordsVolt: boolean
  readonly recordsWard: boolean
  /** Whether what is decided about an envelope is told as AOCL events. */
  readonly tellsDecisions: boolean
  /** What may leave this machine (AEE-093). */
  readonly boundary: {
    readonly intents: readonly string[]
    readonly redact: readonly string[]
    readonly maxPriority: 'low' | 'normal' | 'high' | 'urgent'
  }
}

/** What the person lets leave over one link, and what they take from it (FED-61, FED-63). */
export interface LinkRules {
  readonly allow: {
    readonly kinds: readonly string[]
    readonly from: readonly string[]
    readonly redact: readonly string[]
    readonly presence: 'none' | 'addresses' | 'full'
    readonly bus: readonly string[]
    readonly compute: readonly string[]
  }
  readonly accept: {
    /** Undefined: as it is by default for whoever sends. */
    readonly kinds: readonly string[] | undefined
    readonly from: readonly string[]
    readonly perSecond: number | undefined
  }
  /** What the hub sees is sealed (FED-46). */
  readonly seal?: 'realm' | undefined
}

/** Everything the daemon is built from; frozen, at every depth. */
export interface Config {
  readonly socketPath: string
  readonly socketSource: SocketSource
  /** A sentence for the log when a named place for the socket had to be passed over. */
  readonly socketNote: string | undefined
  readonly stateDir: string
  readonly principal: string
  readonly profile: Profile
  readonly auth: AuthMode
  readonly ack: AckConfig
  readonly ring: RingConfig
  readonly limits: LimitsConfig
  readonly aee: AeeConfig
  /** By the name of a link; what is not here is as for {@link rulesOfLink}. */
  readonly links: Readonly<Record<string, LinkRules>>
  readonly leaseMs: number
  readonly mailboxMs: number
  readonly keepAliveMs: number
}

/** What the command line said; the strongest layer. */
export interface ConfigFlags {
  readonly socket?: string | undefined
  readonly principal?: string | undefined
  readonly profile?: string | undefined
  /** False for `--no-ring`. */
  readonly ring?: boolean | undefined
}

/**
 * Reads all layers once. Nothing is created and nothing is watched: a change takes a restart.
 *
 * @throws HostRefusal with a sentence that names the key and where it stands
 */
export function resolveConfig(environment: Environment, flags: ConfigFlags): Config {
  const file = readConfigFile(environment)
  const place = refuseUnusable(() => resolveSocketPath(environment, flags.socket))
  return Object.freeze({
    ...placeFields(place),
    stateDir: stateDir(environment),
    principal: refuseUnusable(() => principalFrom(environment, flags.principal)),
    profile: profileFrom(environment, flags) ?? file.profile,
    auth: file.auth,
    ack: file.ack,
    ring: ringFrom(file, flags),
    limits: limitsFrom(file),
    aee: aeeFrom(file),
    links: linksFrom(file.links),
    leaseMs: file.lease_ms,
    mailboxMs: file.mailbox_ms,
    keepAliveMs: file.keep_alive_ms,
  })
}

function placeFields(place: SocketPlace): Pick<Config, 'socketPath' | 'socketSource' | 'socketNote'> {
  return { socketPath: place.path, socketSource: place.source, socketNote: place.note }
}

function ringFrom({ ring }: ConfigFile, flags: ConfigFlags): RingConfig {
  const isOnDisk = flags.ring ?? ring.enabled
  return Object.freeze({
    isOnDisk,
    maxFrames: ring.max_frames,
    maxBytes: ring.max_bytes,
    maxAgeMs: ring.max_age_ms,
  })
}

function limitsFrom({ limits }: ConfigFile): LimitsConfig {
  return Object.freeze({
    submissionsPerSecond: limits.submissions_per_second,
    submissionBurst: limits.submission_burst,
    sendersAtOnce: limits.senders_at_once,
    sharePercent: limits.share_percent,
    protectMs: limits.protect_ms,
    fanOut: limits.fan_out,
    subscriptions: limits.subscriptions,
    watchers: limits.watchers,
    sessions: limits.sessions,
    subscriptionBytes: limits.subscription_bytes,
    slowConsumerMs: limits.slow_consumer_ms,
    waitingBytes: limits.waiting_bytes,
    priorityPerMinute: limits.priority_per_minute,
    priorityBurst: limits.priority_burst,
  })
}

function aeeFrom({ aee }: ConfigFile): AeeConfig {
  const { intents, redact, max_priority: maxPriority } = aee.boundary
  return Object.freeze({
    isStrict: aee.profile === 'strict',
    signatures: aee.signatures,
    allowTenFields: aee.ten_field_signatures,
    schemaFolders: Object.freeze(aee.schemas),
    payloads: Object.freeze(aee.payloads),
    isLogged: aee.log,
    recordsVolt: aee.volt,
    recordsWard: aee.ward,
    tellsDecisions: aee.aocl,
    boundary: Object.freeze({ intents: Object.freeze(intents), redact: Object.freeze(redact), maxPriority }),
  })
}

/** What holds for a link: of one that nobody wrote anything about, nothing leaves (FED-06). */
export function rulesOfLink({ links }: Pick<Config, 'links'>, name: string): LinkRules {
  const written = Object.hasOwn(links, name) ? links[name] : undefined
  return written ?? toRules(LinkSection.parse({}))
}

function linksFrom(links: LinksFile): Readonly<Record<string, LinkRules>> {
  const rules = Object.entries(links).map(([name, section]) => [name, toRules(section)] as const)
  return Object.freeze(Object.fromEntries(rules))
}

function toRules({ allow, accept, seal }: LinksFile[string]): LinkRules {
  const { kinds, from, per_second: perSecond } = accept
  return Object.freeze({
    allow: Object.freeze(allow),
    accept: Object.freeze({ kinds, from, perSecond }),
    seal,
  })
}

function profileFrom(environment: Environment, flags: ConfigFlags): Profile | undefined {
  if (flags.profile !== undefined) return requireProfile(flags.profile, '--profile')
  const variable = environment.env['AGENTD_PROFILE']
  return variable ? requireProfile(variable, 'AGENTD_PROFILE') : undefined
}

function requireProfile(name: string, where: string): Profile {
  const parsed = ProfileName.safeParse(name)
  if (parsed.success) return parsed.data
  throw new HostRefusal(`${where} is "${name}"; it must be default or conformance.`)
}

/** The daemon knows one way to be refused; the sentence stays. */
function refuseUnusable<T>(resolve: () => T): T {
  try {
    return resolve()
  } catch (error) {
    if (error instanceof UsageError) throw new HostRefusal(error.message, { cause: error })
    throw error
  }
}
