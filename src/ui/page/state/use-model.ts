/**
 * Drawing with the model: a component that uses a part of it is drawn again when that part changes, and only then.
 */
import type { PageSeat, Part } from './page-seat.ts'

/**
 * What `read` makes of the model now; the component is drawn again when one of the parts changes.
 *
 * @param parts - of the model; `nowMs` for what changes with time alone
 */
export function useModel<Value>(
  seat: PageSeat,
  parts: readonly (Part | 'nowMs')[],
  read: () => Value,
): Value {
  // To read a signal while a component is drawn is to be drawn with it.
  for (const part of parts) void (part === 'nowMs' ? seat.nowMs.value : seat.paintedOf(part))
  return read()
}
