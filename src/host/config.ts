/**
 * What the daemon was told, as one frozen value: defaults, then the file, then the environment, then flags.
 *
 * It fails closed. A key it does not know, a value out of range, or a file others may write stops the start:
 * a daemon that guesses its configuration is worse than one that does not run.
 *
 * @see wire.md §1
 */
import { isAbsolute } from 'node:path'
import { z } from 'zod'
import { readOwnFile } from './own-file.ts'
import { configPath, resolveSocketPath, stateDir } from './paths.ts'
import type { Environment, SocketPlace, SocketSource } from './paths.ts'
import { principalFrom } from './principal.ts'
import { HostRefusal } from './refusal.ts'

/** Frames kept for replay; bounds how far back a cursor reaches and what an index costs. */
const DEFAULT_RING_FRAMES = 100_000

/** Bytes kept for replay, 256 MiB; protects the disk. Without one, memory holds a quarter of it at the most. */
const DEFAULT_RING_BYTES = 268_435_456

/** Seven days; protects people from finding what they said long ago. */
const DEFAULT_RING_AGE_MS = 604_800_000

/** Submissions of one session in a steady second; protects the polite from one that floods. */
const DEFAULT_SUBMISSIONS_PER_SECOND = 2_000

/** What one session may submit at once before the steady rate holds; leaves room for a script's one burst. */
const DEFAULT_SUBMISSION_BURST = 10_000

/** Recipients of one frame; protects the event loop, since a fan-out is written in one go. */
const DEFAULT_FAN_OUT = 16_384

/** Open streams; protects file descriptors and kernel buffers. */
const DEFAULT_SUBSCRIPTIONS = 16_384

/** Registered sessions; protects memory and the roster from a loop that registers. */
const DEFAULT_SESSIONS = 4_096

/** Unwritten bytes of one stream, 4 MiB; protects memory from a reader that has stopped. */
const DEFAULT_SUBSCRIPTION_BYTES = 4_194_304

/** How long a stream may take nothing before it is cut; what sits in the kernel no byte bound sees. */
const DEFAULT_SLOW_CONSUMER_MS = 30_000

/** How long a session without stream or process still counts as alive (wire.md §4). */
const DEFAULT_LEASE_MS = 1_800_000

/** Silence on a stream before a keep-alive; keeps cursors fresh and finds dead peers (wire.md §6, R-16). */
const DEFAULT_KEEP_ALIVE_MS = 15_000

/** `conformance` switches off plausibility, rate limits and the dedup of envelopes (wire.md §1). */
export type Profile = 'default' | 'conformance'

/** Who may speak: whoever reaches the socket, or only who holds a session's token (wire.md §2). */
export type AuthMode = 'socket' | 'session'

/** What an answer stands for: written to the kernel, or flushed to the disk (wire.md §5). */
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
  readonly fanOut: number
  readonly subscriptions: number
  readonly sessions: number
  readonly subscriptionBytes: number
  readonly slowConsumerMs: number
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
  readonly leaseMs: number
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

const Count = z.int().positive()

const ProfileName = z.enum(['default', 'conformance'])

const RingFile = z.strictObject({
  enabled: z.boolean().default(true).describe('whether frames are kept on disk; otherwise in memory'),
  max_frames: Count.default(DEFAULT_RING_FRAMES).describe('frames retained for replay'),
  max_bytes: Count.default(DEFAULT_RING_BYTES).describe('bytes retained for replay'),
  max_age_ms: Count.default(DEFAULT_RING_AGE_MS).describe(
    'age of the oldest frame retained, in milliseconds',
  ),
})

const LimitsFile = z.strictObject({
  submissions_per_second: Count.default(DEFAULT_SUBMISSIONS_PER_SECOND).describe(
    'frames one sender may submit in a steady second',
  ),
  submission_burst: Count.default(DEFAULT_SUBMISSION_BURST).describe('frames one sender may submit at once'),
  fan_out: Count.default(DEFAULT_FAN_OUT).describe('subscriptions and mailboxes one frame may reach'),
  subscriptions: Count.default(DEFAULT_SUBSCRIPTIONS).describe('streams open at once'),
  sessions: Count.default(DEFAULT_SESSIONS).describe('sessions registered at once'),
  subscription_bytes: Count.default(DEFAULT_SUBSCRIPTION_BYTES).describe(
    'bytes waiting for one slow stream before it reads from the ring instead',
  ),
  slow_consumer_ms: Count.default(DEFAULT_SLOW_CONSUMER_MS).describe(
    'how long a stream may take nothing before it is cut',
  ),
})

/** The file as people write it; README prints its keys, and a test holds the two together. The grammar of `principal` is checked for every layer in `principal.ts`. */
export const ConfigFile = z.strictObject({
  socket: z
    .string()
    .refine(isAbsolute, 'expected an absolute path')
    .optional()
    .describe('where the daemon listens'),
  principal: z.string().min(1).optional().describe('your handle; otherwise `~` and your user name'),
  auth: z.enum(['socket', 'session']).default('socket').describe('`session` makes a token mandatory'),
  profile: ProfileName.default('default').describe(
    '`conformance` switches off rate limits and plausible times',
  ),
  ack: z
    .enum(['process', 'disk'])
    .default('process')
    .describe('what an answer stands for: `process` survives a kill, `disk` is flushed first'),
  ring: RingFile.prefault({}),
  limits: LimitsFile.prefault({}),
  lease_ms: Count.default(DEFAULT_LEASE_MS).describe('how long a silent session is remembered'),
  keep_alive_ms: Count.max(DEFAULT_KEEP_ALIVE_MS)
    .default(DEFAULT_KEEP_ALIVE_MS)
    .describe('silence before a keep-alive'),
})
type ConfigFile = z.infer<typeof ConfigFile>

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
    leaseMs: file.lease_ms,
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
    fanOut: limits.fan_out,
    subscriptions: limits.subscriptions,
    sessions: limits.sessions,
    subscriptionBytes: limits.subscription_bytes,
    slowConsumerMs: limits.slow_consumer_ms,
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

function readConfigFile(environment: Environment): ConfigFile {
  const path = configPath(environment)
  const file = readOwnFile(path, environment.uid)
  if (file.kind === 'absent') return ConfigFile.parse({})
  if (file.kind === 'refused') throw new HostRefusal(`The configuration ${path} is refused: ${file.reason}.`)
  const parsed = ConfigFile.safeParse(parseJson(file.text, path))
  if (parsed.success) return parsed.data
  throw new HostRefusal(`The configuration ${path} is refused: ${describe(parsed.error)}.`)
}

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw new HostRefusal(`The configuration ${path} is no JSON: ${error.message}.`, { cause: error })
  }
}

/** All complaints in one sentence, each with its dotted key. */
function describe(error: z.ZodError): string {
  return error.issues
    .map((issue) => {
      const keys = issue.code === 'unrecognized_keys' ? issue.keys : []
      const key = [...issue.path, ...keys.slice(0, 1)].join('.')
      const complaint = keys.length > 0 ? 'is not a key agentd knows' : issue.message
      return key === '' ? complaint : `"${key}": ${complaint}`
    })
    .join('; ')
}

/** The daemon knows one way to be refused; the sentence stays. */
function refuseUnusable<T>(resolve: () => T): T {
  try {
    return resolve()
  } catch (error) {
    if (error instanceof RangeError) throw new HostRefusal(error.message, { cause: error })
    throw error
  }
}
