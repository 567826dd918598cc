/**
 * How keys are shown: a table for people, facts for programs. Nothing secret is within reach here.
 */
import type { Key, KeyState } from '../../aee/keys/key.ts'
import { safeLine } from '../../core/text/safe-text.ts'
import type { Output } from '../terminal/output.ts'
import { formatTable } from '../terminal/table.ts'

/** Entities named in one row; the rest are counted. */
const SHOWN_ENTITIES = 3

/** One key, under the names of its file where it has one. */
export function describeKey(key: Key, nowMs: number): Readonly<Record<string, unknown>> {
  return {
    kid: key.kid,
    alg: key.alg,
    entities: key.entities,
    status: key.status,
    /** What that comes to now: a trusted key may have expired. */
    state: key.stateAt(nowMs),
    createdAt: key.createdAt,
    notBefore: formatTime(key.notBefore),
    notAfter: formatTime(key.notAfter),
    canSign: key.canSign,
    public: key.publicFields()?.public ?? null,
  }
}

/** Every key in a row. */
export function formatKeys(keys: readonly Key[], nowMs: number, { paint, columns }: Output): string {
  const rows = keys.map((key) => [
    key.kid,
    key.alg,
    key.canSign ? 'signs' : 'verifies',
    key.stateAt(nowMs),
    formatSpan(key),
    formatEntities(key),
  ])
  const heads = [
    { title: 'KEY', paint: paint.cyan },
    { title: 'BY' },
    { title: 'USE' },
    { title: 'STATE', paint: (text: string) => (text.trim() === TRUSTED ? text : paint.yellow(text)) },
    { title: 'VALID' },
    { title: 'FOR' },
  ]
  return formatTable(heads, rows, { paint, columns })
}

/** Whom it may sign for, on one line. */
export function formatEntities({ entities }: Key): string {
  const shown = entities.slice(0, SHOWN_ENTITIES).map((entity) => safeLine(entity))
  const rest = entities.length - shown.length
  return rest === 0 ? shown.join(', ') : `${shown.join(', ')} and ${rest} more`
}

const TRUSTED: KeyState = 'trusted'

/** Days are near enough for a look; `--json` has the times. */
function formatSpan({ notBefore, notAfter }: Key): string {
  const [from, to] = [notBefore, notAfter].map((timeMs) => formatTime(timeMs)?.slice(0, 10))
  if (from === undefined && to === undefined) return 'always'
  if (from === undefined) return `to ${to}`
  return to === undefined ? `from ${from}` : `${from} to ${to}`
}

function formatTime(timeMs: number | undefined): string | null {
  return timeMs === undefined ? null : new Date(timeMs).toISOString()
}
