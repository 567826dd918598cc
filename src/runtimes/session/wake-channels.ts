/**
 * The ways to an idle session that a hook learns of, and what the session declares by them.
 *
 * @see docs/runtimes.md §§0, 1.6, 2.3, 5.3; the driver names are those of the roster
 */
import type { Forebear } from '../../host/process/ancestry.ts'
import type { WakeChannels } from '../memory/hook-state.ts'
import type { Environment } from '../../host/config/paths.ts'
import type { HookEvent } from '../events/event.ts'
import { traitsOf, type RuntimeId } from '../events/runtime.ts'

/** How a session says it can be reached. */
export interface WakeDelivery {
  readonly busy: string
  readonly idle: string
  readonly headless: string
}

/** What this event's surroundings tell; members that they say nothing about are absent. */
export function findWakeChannels(
  event: HookEvent,
  { env }: Environment,
  forebear: Forebear | undefined,
): WakeChannels {
  if (event.runtime === 'claude-code') {
    return present({
      claudeSocket: env['CLAUDE_CODE_MESSAGING_SOCKET'],
      claudeToken: env['CLAUDE_CODE_MESSAGING_TOKEN'],
    })
  }
  if (event.runtime === 'codex') {
    const codexPath = forebear?.name.startsWith('codex') === true ? forebear.path : undefined
    return present({ codexPath, codexHome: env['CODEX_HOME'] })
  }
  if (event.runtime !== 'opencode') return {}
  return present({ openCodeUrl: event.serverUrl, openCodePassword: env['OPENCODE_SERVER_PASSWORD'] })
}

/**
 * `busy`: within a turn. `idle`: between two of them; `inbox` is read at the next one. `headless`: with nobody
 * at the keyboard.
 */
export function deliveryOf(runtime: RuntimeId, doors: WakeChannels, isRewaking = false): WakeDelivery {
  const { shows, atTurnEnd } = traitsOf(runtime)
  const wake = isRewaking ? 'async-rewake' : wakeDriver(doors)
  return {
    busy: shows.includes('after-tool') ? 'hook' : atTurnEnd,
    idle: wake ?? 'inbox',
    headless: runtime === 'claude-code' ? 'hook' : (wake ?? atTurnEnd),
  }
}

/** The driver that wakes through these, if any does. */
export function wakeDriver(doors: WakeChannels): string | undefined {
  if (doors.claudeSocket !== undefined) return 'claude-inbox'
  if (doors.codexPath !== undefined) return 'codex-queue'
  return doors.openCodeUrl === undefined ? undefined : 'opencode-prompt'
}

function present(doors: WakeChannels): WakeChannels {
  return Object.fromEntries(Object.entries(doors).filter(([, value]) => value !== undefined && value !== ''))
}
