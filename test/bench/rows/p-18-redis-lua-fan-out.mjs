/** P-18: what a delivery costs, against Redis with a library that decodes, validates, remembers and publishes. */
import { fanOutLines } from '../support/fan-out.mjs'

export const row = {
  id: 'P-18',
  reason:
    'With one subscriber a frame is hardly spread: by the profile what is left is reading it, two fifths, its digest, ' +
    'a tenth, and the sockets.',
  run: (context) =>
    fanOutLines(context, {
      peer: 'redis lua',
      missing: 'redis-server 7 or newer is not installed: left out',
      costTargets: [{ atMost: 1 / 1.5 }, { atMost: 1 / 1.5 }, { atMost: 1 / 1.3 }],
    }),
}
