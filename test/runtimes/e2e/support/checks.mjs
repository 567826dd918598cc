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
