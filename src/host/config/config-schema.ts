/**
 * What may stand in the configuration file, for whoever shows it or changes it: what the daemon
 * says of a file, and when a change is taken up.
 *
 * @see docs/configuration.md
 */
import { UsageError } from '../../core/errors.ts'
import { isJsonObject, memberOf } from '../../core/text/json-object.ts'
import { configComplaints } from './config-file.ts'
import { requireSocketPathFits } from './paths.ts'
import { requireHandle } from './principal.ts'

/** When a running daemon, or whoever else reads a key, goes by another value. */
export type TakesEffect =
  /** When the daemon reads the file again, at SIGHUP. */
  | 'reload'
  /** When it is started again: it is built around the value. */
  | 'restart'
  /** With the next event or command that looks at the file. */
  | 'at-once'
  /** When the process of the page is started again. */
  | 'page'

/** What a daemon is built around; `daemon/settings.ts` names the same, and a test holds the two together. */
const RESTART: ReadonlySet<string> = new Set([
  'socket',
  'principal',
  'profile',
  'ack',
  'ring.enabled',
  'aee.volt',
  'aee.ward',
])

/**
 * Why the daemon would not start with such a file: sentences without a full stop, each beginning with its dotted key.
 *
 * @param content - as `JSON.parse` gives it
 */
export function findConfigFaults(content: unknown): readonly string[] {
  const complaints = configComplaints(content)
  if (!isJsonObject(content)) return complaints
  return [
    ...complaints,
    ...refusedBy(memberOf(content, 'principal'), (name) => requireHandle(name, '"principal"')),
    ...refusedBy(memberOf(content, 'socket'), requireSocketPathFits),
  ]
}

/** @param key - dotted, of a setting */
export function takesEffect(key: string): TakesEffect {
  if (RESTART.has(key)) return 'restart'
  if (key.startsWith('ui.')) return 'page'
  return key.startsWith('hooks.') || key.startsWith('aee.inbound.') ? 'at-once' : 'reload'
}

/** What the other readers of a value say of it; what is no text the schema has refused. */
function refusedBy(value: unknown, require: (text: string) => unknown): readonly string[] {
  if (typeof value !== 'string' || value === '') return []
  try {
    require(value)
    return []
  } catch (error) {
    if (error instanceof UsageError) return [error.message.replace(/\.$/, '')]
    throw error
  }
}
