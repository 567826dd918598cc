/**
 * Before any test: nobody is to puzzle over a test that fails, or passes, on the build of yesterday.
 */
import { findStaleBuild } from '../../build-stamp.mjs'

/** @throws Error with what to do, when `dist` is not what the sources say */
export function setup(): void {
  const fault = findStaleBuild(new URL('../..', import.meta.url).pathname.replace(/\/$/, ''))
  if (fault !== undefined) throw new Error(fault)
}
