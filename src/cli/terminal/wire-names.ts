/**
 * The library's results under the names of the wire: programs that read `--json` read one contract.
 */

const CAPITAL = /[A-Z]/g

/** What others wrote, whose names are not ours to change. */
const AS_WRITTEN = new Set(['frame', 'envelope'])

/** `{eventId: 'a'}` → `{event_id: 'a'}`, at every depth outside of frames and envelopes. */
export function toWireNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => toWireNames(item))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      toWireName(name),
      AS_WRITTEN.has(name) ? member : toWireNames(member),
    ]),
  )
}

function toWireName(name: string): string {
  return name.replace(CAPITAL, (capital) => `_${capital.toLowerCase()}`)
}
