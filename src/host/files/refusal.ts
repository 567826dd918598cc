/**
 * What this machine would not let us do safely.
 *
 * Expected, not a defect: the daemon prints the sentence and exits 78 (EX_CONFIG), so that a service manager
 * does not try again.
 */

import { Failure } from '../../core/errors.ts'

/** A directory, file or name that must not be used as it is. Its message is one sentence that says why. */
export class HostRefusal extends Failure {
  override readonly name: string = 'HostRefusal'
  /** The same for all of them. */
  override readonly code = 'host-refused'
}

/** Another daemon has the place, or is about to: who only wants one that serves can wait for that one. */
export class PlaceTaken extends HostRefusal {
  override readonly name = 'PlaceTaken'
}
