/** P-17: what a delivery costs, against nginx with nchan: HTTP in, Server-Sent Events out, over a Unix socket. */
import { fanOutLines } from '../support/fan-out.mjs'

export const row = {
  id: 'P-17',
  reason:
    'nchan forwards a body that it does not look into: no JSON, no fields, no id. What a frame costs before its first ' +
    'delivery is read, validated and remembered, and is spread over the subscribers; from the second one on the ' +
    'daemon is cheaper.',
  run: (context) =>
    fanOutLines(context, {
      peer: 'nchan',
      missing: 'nginx with nchan is not installed: left out',
      costTargets: [{ atMost: 1 }, { atMost: 1 / 2 }, { atMost: 1 / 4 }],
    }),
}
