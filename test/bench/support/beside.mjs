/** Questions that are asked again and again while something else is under way. */

/** @returns what the work gave; `ask` has been called, one after the other, until it was done */
export async function askBeside(work, ask) {
  const state = { isOver: false }
  const over = work.finally(() => {
    state.isOver = true
  })
  while (!state.isOver) await ask()
  return over
}
