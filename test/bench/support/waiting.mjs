/** Waiting, and never for ever. */

export function sleep(ms) {
  return new Promise((resolve) => {
    setTimeout(resolve, ms)
  })
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

/**
 * Looks every few milliseconds until there is something.
 *
 * @returns what was found
 * @throws Error with the sentence when nothing was
 */
export async function until(look, timeoutMs, sentence) {
  const startedMs = performance.now()
  for (;;) {
    const found = await look()
    if (found !== undefined && found !== false) return found
    if (performance.now() - startedMs > timeoutMs) throw new Error(`${sentence} (waited ${timeoutMs} ms)`)
    await sleep(5)
  }
}

/** Does something for every item, at most `width` at a time. @returns the results in order */
export async function mapWithin(items, width, work) {
  const results = []
  let next = 0
  const worker = async () => {
    while (next < items.length) {
      const i = next
      next += 1
      results[i] = await work(items[i], i)
    }
  }
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, worker))
  return results
}
