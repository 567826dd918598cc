/**
 * Leases that live, the one that ends first in front.
 */
import { cutStartTo } from '../../core/display/width.ts'
import { quoted } from '../../core/text/quoted.ts'
import { safeLine } from '../../core/text/safe-text.ts'
import type { Output } from '../terminal/output.ts'
import { formatTable } from '../terminal/table.ts'
import { isOwn, SHORT_ID_LETTERS, type LeaseLine } from './own-lease.ts'

/** What a holder, a resource and a node take at the most on a terminal that is not wide. */
const MAX_HOLDER_COLUMNS = 22
const MAX_RESOURCE_COLUMNS = 28
const MAX_NODE_COLUMNS = 12
const WIDE_COLUMNS = 120

/** @param caller - who asks, as the board calls it */
export function formatLeases(
  leases: readonly LeaseLine[],
  caller: string,
  { paint, columns }: Pick<Output, 'paint' | 'columns'>,
): string {
  const isWide = columns === undefined || columns >= WIDE_COLUMNS
  const hasNodes = leases.some(({ node }) => node !== undefined)
  const heads = [
    { title: 'LEFT' },
    { title: 'HOLDER', paint: paint.cyan, ...(!isWide && { most: MAX_HOLDER_COLUMNS }) },
    ...(hasNodes ? [{ title: 'NODE', most: MAX_NODE_COLUMNS }] : []),
    { title: 'RESOURCE' },
    { title: 'LEASE', paint: paint.dim },
    { title: 'INTENT' },
  ]
  const rows = leases.map((line) => [
    line.left,
    holderOf(line, caller),
    ...(hasNodes ? [safeLine(line.node ?? '')] : []),
    cutStartTo(safeLine(line.resource), isWide ? Infinity : MAX_RESOURCE_COLUMNS),
    safeLine(line.leaseId.slice(0, SHORT_ID_LETTERS)),
    [line.hasLeft ? '(has left)' : '', line.about === undefined ? '' : quoted(line.about)]
      .filter((part) => part !== '')
      .join(' '),
  ])
  return formatTable(heads, rows, { paint, columns })
}

/** As programs read one: times as RFC 3339, and null for what was not said. */
export function leaseToWire(line: LeaseLine, caller: string, nowMs: number): object {
  return {
    leaseId: line.leaseId,
    resource: line.resource,
    path: line.path,
    repository: line.repository ?? null,
    worktree: line.worktree ?? null,
    holder: line.from,
    name: line.name ?? null,
    node: line.node ?? null,
    intent: line.about ?? null,
    since: new Date(line.sinceMs).toISOString(),
    until: new Date(line.untilMs).toISOString(),
    leftMs: Math.max(0, line.untilMs - nowMs),
    isOwn: isOwn(line, caller),
    hasLeft: line.hasLeft,
  }
}

function holderOf(line: LeaseLine, caller: string): string {
  const who = safeLine(line.name ?? line.from)
  return isOwn(line, caller) ? `${who} (you)` : who
}
