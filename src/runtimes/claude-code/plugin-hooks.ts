/**
 * The hooks of the Claude Code plugin, as Claude Code has installed it.
 *
 * @see docs/runtimes.md §1.9
 */
import { join } from 'node:path'
import { MAX_DROP_INS } from '../doctor/bounds.ts'
import { namesIn, readJsonConfig } from '../doctor/config-text.ts'
import { callsOf, hookEntries, launchesOf, type HookEntry, type HookFile } from '../doctor/hook-file.ts'
import type { DoctorTarget } from '../doctor/target.ts'
import type { JsonEntry } from '../setup/files/json-file.ts'
import { claudeHome } from './paths.ts'
import { findMarketplace, MARKETPLACE, PLUGIN } from './plugin.ts'
import { NAMED_HOOKS, PUBLISHED_HOOKS } from './published.ts'
import { claudeHooks } from './setup.ts'

/** The copies that Claude Code made when it installed the plugin; those of a plugin that is off do not count. */
export function pluginFiles(target: DoctorTarget): readonly HookFile[] {
  const { user, surroundings } = target
  const marketplace = findMarketplace(user)
  if (marketplace === undefined) return []
  const folder = join(claudeHome(user), 'plugins', 'cache', marketplace, PLUGIN)
  // The newest is last; older ones wait to be swept.
  const newest = namesIn(folder).slice(-MAX_DROP_INS).at(-1)
  const isLocal = marketplace === MARKETPLACE
  const path = join(folder, newest ?? '', 'hooks', isLocal ? 'hooks.json' : PUBLISHED_HOOKS)
  const config = readJsonConfig(path)
  const entries = hookEntries(config.value['hooks'], 'claude-code')
  const launches = launchesOf(entries)
  return [
    {
      path,
      scope: 'plugin',
      entries,
      launches,
      calls: callsOf(entries),
      hasOwn: true,
      // What cannot be read is not called old.
      isCurrent:
        entries.length === 0 || isWritten(entries, isLocal ? claudeHooks(surroundings.launch) : NAMED_HOOKS),
      changes: [],
      fault: config.isThere ? config.fault : undefined,
      fix: isLocal
        ? 'agentd setup claude-code --plugin <folder>, and update the plugin'
        : `claude plugin update ${PLUGIN}@${marketplace}`,
    },
  ]
}

/** Whether these are the lines that the plugin would be written with now, event by event. */
function isWritten(entries: readonly HookEntry[], desired: readonly JsonEntry[]): boolean {
  const wanted = desired.flatMap((entry) =>
    entry.kind === 'hook' ? [spelled(entry.event, entry.handler)] : [],
  )
  const found = entries.map(({ event, handler }) => spelled(event, handler))
  return found.toSorted().join('\n') === wanted.toSorted().join('\n')
}

function spelled(event: string, handler: Readonly<Record<string, unknown>>): string {
  return `${event} ${String(handler['command'])}`
}
