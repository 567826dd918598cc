/**
 * What may come of one input in this process.
 */

/** Runs it; a documented refusal is an answer. @param takesRange - whether a `RangeError` is one */
export function refusable(codes, act, takesRange = false) {
  try {
    return act() ?? 'ok'
  } catch (error) {
    if (error?.name === 'AgentdError' && Object.hasOwn(codes, error.code)) return error.code
    // The engine's own, of a stack or a string that has grown too long, is none that anybody documents.
    if (takesRange && error instanceof RangeError && !/call stack|string length/.test(error.message))
      return 'range'
    throw error
  }
}

/** Says what is wrong where something is. */
export function must(isTrue, what) {
  if (!isTrue) throw new Error(what)
}
