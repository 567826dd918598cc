/**
 * The library's results under the names of the wire: programs that read `--json` read one contract.
 */

const CAPITAL = /[A-Z]/g

/** `{eventId: 'a'}` → `{event_id: 'a'}`, at every depth. Frames have no capitals in their names. */
export function toWireNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => toWireNames(item))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [toWireName(name), toWireNames(member)]),
  )
}

function toWireName(name: string): string {
  return name.replace(CAPITAL, (capital) => `_${capital.toLowerCase()}`)
}
