/** What scenarios say when something is not as it should be, or cannot be tried. */

/** A scenario that cannot be tried here, and why. */
export class Skipped extends Error {}

/** @throws Error with the sentence unless the condition holds */
export function must(condition, sentence) {
  if (!condition) throw new Error(sentence)
}

/** The id a question is answered by, as a session is shown it. */
export function queryIdIn(text) {
  const ids = [...text.matchAll(/\[query ([0-9a-f-]{36})\]/g)]
  const [, id] = ids.at(-1) ?? []
  if (id === undefined) throw new Error('no question was shown')
  return id
}

/** A move that answers the newest question the model was shown. */
export function answering(text) {
  return (shown) => ({ tool: 'agentd_send', input: { kind: 'respond', id: queryIdIn(shown), text } })
}

/** How often a text says something. */
export function times(text, word) {
  return text.split(word).length - 1
}

/** How long something took, in whole milliseconds. */
export async function timed(work) {
  const startedMs = performance.now()
  const value = await work()
  return { value, ms: Math.round(performance.now() - startedMs) }
}

/** The session goes by the name and the address it had, whatever daemon runs now. @throws Error when it does not */
export async function mustBeAsBefore(stage, { id, entry: { address, name } }) {
  const now = await stage.joined(id)
  must(now.name === name && now.address === address, `it is ${now.name}, ${now.address} now`)
}

/** It does, and a question wakes it. @returns `{driver, wokenAfterMs}` */
export async function mustWakeAsBefore(stage, session) {
  await mustBeAsBefore(stage, session)
  const { ms } = await timed(async () => {
    await stage.query(session.entry.address, 'Are you still there?')
    await session.model.heard('Are you still there?')
  })
  const { delivery } = await stage.joined(session.id)
  return { driver: delivery.idle, wokenAfterMs: ms }
}
