/** What the dialects have in common. */

/** One server-sent event. */
export function sendEvent(outgoing, data, name) {
  outgoing.write(`${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`)
}

export function startStream(outgoing) {
  outgoing.writeHead(200, { 'content-type': 'text/event-stream' })
}

export function sendJson(outgoing, data) {
  outgoing.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(data))
}

/** Every text in a value, in order: what a model is shown, whatever the shape it comes in. */
export function textIn(value) {
  if (typeof value === 'string') return value
  if (value === null || typeof value !== 'object') return ''
  return Object.values(value)
    .map((one) => textIn(one))
    .filter((text) => text !== '')
    .join('\n')
}

/** Ids of calls, told apart within one process. */
let calls = 0

export function nextCallId(prefix) {
  calls += 1
  return `${prefix}${calls}`
}
