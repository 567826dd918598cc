/** P-18r: as P-18, with the ring on, against the same library that appends to a stream as well (`appendfsync everysec`). */
import { fanOutLines } from '../support/fan-out.mjs'

export const row = {
  id: 'P-18r',
  reason: 'As P-18; a row in SQLite costs more than an entry in memory with a log behind it.',
  run: (context) =>
    fanOutLines(context, {
      peer: 'redis lua + XADD',
      missing: 'redis-server 7 or newer is not installed: left out',
      keeps: true,
    }),
}
