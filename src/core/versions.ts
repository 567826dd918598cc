/**
 * Versions as programs say them: numbers between points.
 */

/** Whether a version is a floor or above it, compared number by number; what is not said counts as 0. */
export function isVersionAtLeast(version: string, floor: string): boolean {
  const numbers = version.split('.').map(Number)
  for (const [i, wanted] of floor.split('.').map(Number).entries()) {
    const found = numbers[i] ?? 0
    if (found !== wanted) return found > wanted
  }
  return true
}
