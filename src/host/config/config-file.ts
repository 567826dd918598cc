/**
 * The configuration file: its keys, their bounds and defaults, and how it is read.
 *
 * @see docs/http.md §1
 */
import { isAbsolute } from 'node:path'
import * as z from 'zod'
import { wordIssue } from '../../core/issue-words.ts'
import { LinksFile } from './link-section.ts'
import { HooksFile, InboundFile, IntentPattern, UiFile } from './reader-sections.ts'
import { readOwnFile } from '../files/own-file.ts'
import { configPath } from './paths.ts'
import type { Environment } from './paths.ts'
import { HostRefusal } from '../files/refusal.ts'

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

/** Senders that may go as fast as one may, together; leaves the loop to those that wait for something (HD-05). */
const DEFAULT_SENDERS_AT_ONCE = 8

/** Hundredths of the ring, and of the streams, for one process or session; keeps the rest for others (HD-05). */
const DEFAULT_SHARE_PERCENT = 25

/** An hour; what others sent within it is not pushed out of the ring by one sender alone (HD-05). */
const DEFAULT_PROTECT_MS = 3_600_000
/** Recipients of one frame; protects the event loop, since a fan-out is written in one go. */
const DEFAULT_FAN_OUT = 16_384
/** Open streams; protects file descriptors and kernel buffers. */
const DEFAULT_SUBSCRIPTIONS = 16_384
/** Watches; a page has one per tab, and each is written everything that passes (SEAT-06). */
const DEFAULT_WATCHERS = 16
/** Registered sessions; protects memory and the roster from a loop that registers. */
const DEFAULT_SESSIONS = 4_096
/** Unwritten bytes of one stream, 4 MiB; protects memory from a reader that has stopped. */
const DEFAULT_SUBSCRIPTION_BYTES = 4_194_304

/** How long a stream may take nothing before it is cut; what sits in the kernel no byte bound sees. */
const DEFAULT_SLOW_CONSUMER_MS = 30_000
/** What waits in memory over all connections, 64 MiB; protects everybody from who sends or asks and never ends. */
const DEFAULT_WAITING_BYTES = 67_108_864
/** Envelopes a minute that one sender may call `high` or `urgent`; protects everybody else's attention (AEE-094). */
const DEFAULT_PRIORITY_PER_MINUTE = 60
/** What one sender may call so at once. */
const DEFAULT_PRIORITY_BURST = 60

/** How long a session without stream or process still counts as alive (docs/http.md §4). */
const DEFAULT_LEASE_MS = 1_800_000

/** How long a mailbox nobody looks into is queued for, seven days; protects senders from counting on the absent (HD-03). */
const DEFAULT_MAILBOX_MS = 604_800_000

/** Silence on a stream before a keep-alive; keeps cursors fresh and finds dead peers (docs/http.md §6, R-16). */
const DEFAULT_KEEP_ALIVE_MS = 15_000

const Count = z.int().positive()

/** The names a profile has in every layer. */
export const ProfileName = z.enum(['default', 'conformance'])

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
  senders_at_once: Count.default(DEFAULT_SENDERS_AT_ONCE).describe(
    'how many senders at their full rate all of them together may be',
  ),
  share_percent: Count.max(100)
    .default(DEFAULT_SHARE_PERCENT)
    .describe('the part of a full ring, and of the streams, that one process or session may hold'),
  protect_ms: Count.default(DEFAULT_PROTECT_MS).describe(
    'how long nobody beyond that part pushes out of the ring what others sent',
  ),
  fan_out: Count.default(DEFAULT_FAN_OUT).describe('subscriptions and mailboxes one frame may reach'),
  subscriptions: Count.default(DEFAULT_SUBSCRIPTIONS).describe('streams open at once'),
  watchers: Count.default(DEFAULT_WATCHERS).describe('watches open at once'),
  sessions: Count.default(DEFAULT_SESSIONS).describe('sessions registered at once'),
  subscription_bytes: Count.default(DEFAULT_SUBSCRIPTION_BYTES).describe(
    'bytes waiting for one slow stream before it reads from the ring instead',
  ),
  slow_consumer_ms: Count.default(DEFAULT_SLOW_CONSUMER_MS).describe(
    'how long a stream may take nothing before it is cut',
  ),
  waiting_bytes: Count.default(DEFAULT_WAITING_BYTES).describe('bytes that may wait for or behind requests'),
  priority_per_minute: Count.default(DEFAULT_PRIORITY_PER_MINUTE).describe(
    'envelopes of one sender treated as `high` or `urgent` in a minute; the rest go as `normal`',
  ),
  priority_burst: Count.default(DEFAULT_PRIORITY_BURST).describe('how many of them one sender may save up'),
})

const AbsolutePath = z.string().refine(isAbsolute, 'must be an absolute path')

const AeeFile = z.strictObject({
  profile: z
    .enum(['default', 'strict'])
    .default('default')
    .describe('`strict` refuses what is otherwise a warning'),
  signatures: z
    .enum(['verify', 'require', 'relay'])
    .default('verify')
    .describe('`verify` checks those there are, `require` demands one, `relay` passes them on unread'),
  ten_field_signatures: z
    .boolean()
    .default(false)
    .describe('whether a signature that leaves `requires` unbound will do (`aee-jcs-10`)'),
  schemas: z
    .array(AbsolutePath)
    .max(16)
    .default([])
    .describe('folders with `<intent>.{task,result,error}.schema.json`, read again when they change'),
  payloads: z
    .record(IntentPattern, z.enum(['off', 'warn', 'enforce']))
    .default({})
    .describe('what is done about a payload that does not fit its schema, by intent, `ops.*` or `*`'),
  log: z
    .boolean()
    .default(true)
    .describe('whether each envelope is a log line: id, corr, intent, from, to, type, priority'),
  volt: z
    .boolean()
    .default(false)
    .describe('whether envelope traffic is recorded as a VOLT 0.1 hash chain, metadata only'),
  ward: z.boolean().default(false).describe('whether each accepted envelope gets a WARD 0.1 receipt'),
  aocl: z
    .boolean()
    .default(false)
    .describe(
      'whether what is decided about an envelope is told as `aocl.layer.decision` events to `log.aocl`',
    ),
  boundary: z
    .strictObject({
      intents: z
        .array(IntentPattern)
        .default([])
        .describe('intents that may leave this machine; none unless they are named'),
      redact: z
        .array(z.string().min(1))
        .default([])
        .describe('what is blacked out on the way, such as `payload.user.email` or `payload.items.*.token`'),
      max_priority: z
        .enum(['low', 'normal', 'high', 'urgent'])
        .default('normal')
        .describe('the highest priority that leaves'),
    })
    .prefault({}),
  inbound: InboundFile.prefault({}),
})

/** The file as people write it; README prints its keys, and a test holds the two together. The grammar of `principal` is checked for every layer in `principal.ts`. */
export const ConfigFile = z.strictObject({
  socket: z
    .string()
    .refine(isAbsolute, 'must be an absolute path')
    .optional()
    .describe('where the daemon listens'),
  principal: z.string().min(1).optional().describe('your handle; otherwise `~` and your user name'),
  auth: z.enum(['socket', 'session']).default('socket').describe('`session` wants a token or your key'),
  profile: ProfileName.default('default').describe(
    '`conformance` switches off rate limits and plausible times',
  ),
  ack: z
    .enum(['process', 'disk'])
    .default('process')
    .describe('what an answer stands for: `process` survives a kill, `disk` is flushed first'),
  ring: RingFile.prefault({}),
  limits: LimitsFile.prefault({}),
  aee: AeeFile.prefault({}),
  hooks: HooksFile.prefault({}),
  ui: UiFile.prefault({}),
  links: LinksFile.default({}).describe('what leaves and enters over a link, by its name; see below'),
  lease_ms: Count.default(DEFAULT_LEASE_MS).describe('how long a silent session is remembered'),
  mailbox_ms: Count.default(DEFAULT_MAILBOX_MS).describe(
    'how long a mailbox nobody looks into is queued for, by the time the daemon runs',
  ),
  keep_alive_ms: Count.max(DEFAULT_KEEP_ALIVE_MS)
    .default(DEFAULT_KEEP_ALIVE_MS)
    .describe('silence before a keep-alive'),
})
export type ConfigFile = z.infer<typeof ConfigFile>

/**
 * Reads and checks the file; without one, everything is its default.
 *
 * @throws HostRefusal with a sentence that names the key
 */
export function readConfigFile(environment: Environment): ConfigFile {
  const path = configPath(environment)
  const file = readOwnFile(path, environment.uid)
  // Not compiled: a start reads it once, and compiling the reader costs more than the reading.
  if (file.kind === 'absent') return ConfigFile.parse({}, { jitless: true })
  if (file.kind === 'refused') throw new HostRefusal(`The configuration ${path} is refused: ${file.reason}.`)
  const parsed = ConfigFile.safeParse(parseJson(file.text, path), { error: wordIssue, jitless: true })
  if (parsed.success) return parsed.data
  throw new HostRefusal(`The configuration ${path} is refused: ${complaintsOf(parsed.error).join('; ')}.`)
}

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw new HostRefusal(`The configuration ${path} is no JSON: ${error.message}.`, { cause: error })
  }
}

/** All complaints about what a file says, each with its dotted key; none when the daemon takes it. */
export function configComplaints(content: unknown): readonly string[] {
  const parsed = ConfigFile.safeParse(content, { error: wordIssue })
  return parsed.success ? [] : complaintsOf(parsed.error)
}

function complaintsOf(error: z.ZodError): readonly string[] {
  return error.issues.flatMap((issue) => {
    const keys = issue.code === 'unrecognized_keys' ? issue.keys : [undefined]
    return keys.map((own) => {
      const key = [...issue.path, ...(own === undefined ? [] : [own])].join('.')
      // What is wrong with a name stands inside.
      const rule = issue.code === 'invalid_key' ? (issue.issues[0]?.message ?? issue.message) : issue.message
      const complaint = own === undefined ? rule : 'is not a key agentd knows'
      return key === '' ? `it ${complaint}` : `"${key}" ${complaint}`
    })
  })
}
