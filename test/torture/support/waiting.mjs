/** Waiting, and never for ever. */

export function sleep(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

/** Looks every few milliseconds. @returns how long it took in milliseconds, or undefined when it did not come */
export async function waitFor(look, timeoutMs = 10_000, everyMs = 10) {
  const startedMs = performance.now()
  for (;;) {
    if (await look()) return performance.now() - startedMs
    if (performance.now() - startedMs > timeoutMs) return undefined
    await sleep(everyMs)
  }
}

/** @returns what the promise gives, or `undefined` when it takes longer */
export async function within(promise, timeoutMs) {
  let timer
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, timeoutMs)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
