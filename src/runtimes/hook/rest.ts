/**
 * What only some events need, as one piece that is loaded when one of them comes.
 *
 * Most hooks find nothing waiting, and end; compiling all of this would cost them more than what they do. As it
 * is bundled apart, a class in here is another one than its namesake out there: errors are told by their name.
 */
import { checkConflicts } from './conflict.ts'
import { deliver } from '../wake/deliver.ts'
import { ensureWaiter } from '../wake/ensure-waiter.ts'
import { endSession } from './farewell.ts'
import { openHookTrace } from '../session/hook-trace.ts'
import { register } from '../session/registration.ts'
import { waitToWake } from '../wake/rewake.ts'
import { startDaemonFor } from './start-daemon.ts'
import { welcome } from './welcome.ts'

/** All of it. */
export const rest = {
  checkConflicts,
  deliver,
  endSession,
  ensureWaiter,
  openHookTrace,
  register,
  startDaemonFor,
  waitToWake,
  welcome,
}
