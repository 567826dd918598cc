/**
 * The runtimes, for the help of the commands that take them.
 */

/** Their ids in the order of the table, which is loaded for it. */
export async function loadRuntimeIds(): Promise<readonly string[]> {
  const { RUNTIMES } = await import('../runtimes/catalogue.ts')
  return RUNTIMES.map(({ id }) => id)
}
