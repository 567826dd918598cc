/**
 * The process behind the person's page, stopped where one runs.
 */
import type { CommandContext } from '../run/command-context.ts'
import { isSeatServed, stopSeat } from '../seat/reach-seat.ts'
import type { Part } from './part.ts'
import { findSocketPath } from './socket-path.ts'

/** @throws HostRefusal for a process that does not end */
export async function findPage(context: CommandContext): Promise<Part> {
  const path = findSocketPath(context)
  const isServed = path !== undefined && (await isSeatServed(path))
  return {
    rows: isServed ? [{ place: 'the page', what: 'no longer served' }] : [],
    // Asked again: it may have ended by itself meanwhile.
    async take() {
      const pid = path === undefined ? undefined : await stopSeat(path)
      return {
        lines: pid === undefined ? [] : [`the page is no longer served, pid ${pid}`],
        notes: [],
        failures: [],
        data: { page: pid === undefined ? { stopped: false } : { stopped: true, pid } },
      }
    },
  }
}
