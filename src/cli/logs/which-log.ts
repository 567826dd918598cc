/**
 * The log of the daemon that runs here, or ran last, and its lines.
 */
import { resolveSocketPath } from '../../host/config/paths.ts'
import { findDaemonLog, type DaemonLog } from '../../host/process/daemon-log.ts'
import { findOwner } from '../../host/process/instance-owner.ts'
import type { CommandContext } from '../run/command-context.ts'
import { journalArguments, journalLines } from './journal.ts'
import { logLines, type LogWish } from './log-file.ts'

/** Where it is. */
export async function whichLog({ environment, socket }: CommandContext): Promise<DaemonLog> {
  const { path } = resolveSocketPath(environment, socket)
  return findDaemonLog(environment, findOwner(path)?.pid, await isService(environment))
}

/**
 * Its lines; none where it is not kept.
 *
 * @param sinceMs - milliseconds since 1970; heeded by the journal alone, the lines of a file say when they were written
 */
export async function* linesOf(
  log: DaemonLog,
  wish: LogWish,
  sinceMs?: number,
): AsyncGenerator<Buffer, void, undefined> {
  if (log.kind === 'journal') yield* journalLines(journalArguments(log.unit, wish, sinceMs), wish)
  if (log.kind === 'file') yield* logLines(log.path, wish)
}

/** Whether the units for systemd are this user's. */
async function isService(environment: CommandContext['environment']): Promise<boolean> {
  if (environment.platform !== 'linux') return false
  const { ownUnits, unitPlaces } = await import('../../host/service/units.ts')
  return ownUnits(unitPlaces(environment)).some((path) => path.endsWith('/agentd.service'))
}
