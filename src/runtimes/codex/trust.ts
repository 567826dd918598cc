/**
 * Which hooks Codex trusts: it runs none whose exact form a person has not reviewed.
 *
 * The hash is Codex' own, as versions 0.169.0 to 0.171.0 compute it: SHA-256 of the handler, with its defaults filled in,
 * as JSON with sorted keys.
 *
 * @see docs/runtimes.md §2.1 "Trust"
 */
import { createHash } from 'node:crypto'
import { memberAt, type ConfigValue } from '../doctor/config-text.ts'
import type { HookEntry, HookFile } from '../doctor/hook-file.ts'
import { isJsonObject } from '../../core/text/json-object.ts'
import { realOf } from '../setup/paths.ts'

/** How Codex stands to one hook. */
export type TrustState = 'trusted' | 'untrusted' | 'modified' | 'disabled'

/** In seconds; Codex allows the end of a session one, and three at the most. */
const DEFAULT_TIMEOUT = 600
const DEFAULT_LAST_TIMEOUT = 1
const MAX_LAST_TIMEOUT = 3
const LAST_EVENTS = ['session_end', 'interrupt']

/** Their matchers are not part of what is trusted. */
const WITHOUT_MATCHER = ['user_prompt_submit', 'stop', 'interrupt']

/** @param config - `config.toml` of the user */
export function codexTrust({ path }: HookFile, entry: HookEntry, config: ConfigValue): TrustState {
  const name = `${snake(entry.event)}:${entry.group}:${entry.index}`
  const states = [path, realOf(path)].map((file) =>
    memberAt(config.value, 'hooks', 'state', `${file}:${name}`),
  )
  const state = states.find(isJsonObject)
  if (memberAt(state, 'enabled') === false) return 'disabled'
  const trusted = memberAt(state, 'trusted_hash')
  if (typeof trusted !== 'string') return 'untrusted'
  return trusted === codexHookHash(entry) ? 'trusted' : 'modified'
}

/** `sha256:` and the hash in hex. */
export function codexHookHash({ event, matcher, handler }: HookEntry): string {
  const name = snake(event)
  const identity = {
    event_name: name,
    ...(matcher !== undefined && !WITHOUT_MATCHER.includes(name) && { matcher }),
    hooks: [
      {
        type: 'command',
        command: handler['command'],
        timeout: timeoutOf(name, handler['timeout']),
        async: handler['async'] === true,
        ...(typeof handler['statusMessage'] === 'string' && { statusMessage: handler['statusMessage'] }),
      },
    ],
  }
  return `sha256:${createHash('sha256')
    .update(JSON.stringify(sorted(identity)))
    .digest('hex')}`
}

function timeoutOf(event: string, said: unknown): number {
  const isLast = LAST_EVENTS.includes(event)
  const seconds = typeof said === 'number' ? Math.max(1, said) : undefined
  if (!isLast) return seconds ?? DEFAULT_TIMEOUT
  return Math.min(seconds ?? DEFAULT_LAST_TIMEOUT, MAX_LAST_TIMEOUT)
}

/** `PreToolUse` → `pre_tool_use` */
function snake(event: string): string {
  return event.replaceAll(/(?<=[a-z])[A-Z]/g, (capital) => `_${capital}`).toLowerCase()
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => [key, sorted(member)]),
  )
}
