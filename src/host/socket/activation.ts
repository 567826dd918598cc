/**
 * A listening socket handed over by systemd: which descriptor, and forgetting the hand-over.
 *
 * @see sd_listen_fds(3); docs/runtimes.md §7
 */
import { consumeVariable } from '../config/paths.ts'
import type { Environment } from '../config/paths.ts'

/** The first descriptor systemd passes; SD_LISTEN_FDS_START. */
const FIRST_PASSED_FD = 3

/**
 * The descriptor to serve, when exactly one was passed and it was passed to this very process: the variables
 * may be inherited from a parent that was activated.
 */
export function activatedListenerFd(environment: Environment): typeof FIRST_PASSED_FD | undefined {
  const { LISTEN_PID: pid, LISTEN_FDS: count } = environment.env
  return pid === String(process.pid) && count === '1' ? FIRST_PASSED_FD : undefined
}

/** Forgets the hand-over, so that no child takes the descriptor for its own. Call it once it is served. */
export function consumeActivation(environment: Environment): void {
  for (const name of ['LISTEN_PID', 'LISTEN_FDS', 'LISTEN_FDNAMES']) consumeVariable(environment, name)
}
