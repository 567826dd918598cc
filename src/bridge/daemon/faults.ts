/** What can be with the daemon. */
import { Failure } from '../../core/errors.ts'

/** The daemon does not answer: it is waited for. */
export class DaemonAway extends Failure {
  override readonly name = 'DaemonAway'
  override readonly code = 'daemon-away'
}

/** The daemon answered, and refuses: its code and its words. */
export class DaemonRefusal extends Failure {
  override readonly name = 'DaemonRefusal'
  override readonly code: string
  readonly status: number

  constructor(status: number, code: string, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}
