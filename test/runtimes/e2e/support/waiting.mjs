/** Waiting, and never for ever. */

/** Between two looks, in milliseconds. */
const LOOK_MS = 20

export function sleep(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

/**
 * Looks until there is something.
 *
 * @returns what was found
 * @throws Error with the sentence when nothing was
 */
export async function until(look, timeoutMs, sentence) {
  const startedMs = performance.now()
  for (;;) {
    const found = await look()
    if (found !== undefined && found !== false && found !== null) return found
    if (performance.now() - startedMs > timeoutMs) throw new Error(`${sentence} (waited ${timeoutMs} ms)`)
    await sleep(LOOK_MS)
  }
}

/**
 * Gives what the promise gives.
 *
 * @throws Error with the sentence when that takes longer
 */
export async function within(promise, timeoutMs, sentence) {
  let timer
  const late = new Promise((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`${sentence} (waited ${timeoutMs} ms)`)), timeoutMs)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
