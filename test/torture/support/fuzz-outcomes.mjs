/**
 * What may come of one input in this process.
 */

/** Runs it; a documented refusal is an answer. @param takesUsage - whether a `UsageError` is one */
export function refusable(codes, act, takesUsage = false) {
  try {
    return act() ?? 'ok'
  } catch (error) {
    if (error?.name === 'AgentdError' && Object.hasOwn(codes, error.code)) return error.code
    if (takesUsage && error?.name === 'UsageError') return 'usage'
    throw error
  }
}

/** Says what is wrong where something is. */
export function must(isTrue, what) {
  if (!isTrue) throw new Error(what)
}
