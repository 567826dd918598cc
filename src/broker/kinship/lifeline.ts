/**
 * Which processes stand behind a session, as far as the kernel says: the one that registered it, and the one that its
 * life may hang on.
 *
 * A number in a request proves nothing, since everybody may write any. It counts when the kernel names the process at
 * the other end of the connection and the number is that process or a forebear of it.
 *
 * @see docs/http.md §§2, 4; HD-01, HD-04
 */
import { systemErrorCode } from '../../core/thrown.ts'

/** What the registry asks of the machine. */
export interface Processes {
  /** A text that differs for two processes of the same id; undefined when there is none. */
  startTime(pid: number): string | undefined
  /** False where there is certainly none: a glance, at a tenth of the cost. One that nobody has waited for is there. */
  exists(pid: number): boolean
  /** Whether a process is another one or a forebear of it; absent where the kernel does not name who connects. */
  readonly isForebear?: ((pid: number, of: number) => boolean) | undefined
}

/** One process, told from a later one of the same id. */
export interface KnownProcess {
  readonly pid: number
  readonly startTime: string
}

/** A process that a session lives with: while it runs, and where it is sure which one is meant no longer (OP-27). */
export interface Lifeline extends KnownProcess {
  /** False where the kernel could not be asked: such a one counts within a bound (`leases.ts`), and proves nothing. */
  readonly isProven: boolean
  /**
   * Whether the session ends with it: it is proven, or who registered knew when it began. A number alone may be that of
   * another container, and the process that has it here has nothing to do with who said it.
   */
  readonly endsSession: boolean
}

/** The first process is everybody's forebear, and lives for as long as the machine. */
const FIRST_PROCESS = 1

/** What was written down of a lifeline, as `SessionRecord` has it. */
interface WrittenLifeline {
  readonly facts: { readonly pid?: number | undefined }
  readonly pidStartTime: string | undefined
  readonly isPidProven?: boolean | undefined
  readonly endsWithPid?: boolean | undefined
}

/** The lifeline of a session that outlived a daemon. */
export function lifelineOf({ facts, pidStartTime, ...written }: WrittenLifeline): Lifeline | undefined {
  const { pid } = facts
  if (pid === undefined || pid === FIRST_PROCESS || pidStartTime === undefined) return undefined
  const isProven = written.isPidProven === true
  return { pid, startTime: pidStartTime, isProven, endsSession: isProven || written.endsWithPid === true }
}

/** The process of an id as it is now; undefined when there is none. */
export function knownProcess(processes: Processes, pid: number | undefined): KnownProcess | undefined {
  const startTime = pid === undefined ? undefined : processes.startTime(pid)
  return pid === undefined || startTime === undefined ? undefined : { pid, startTime }
}

/** What a registration says of its process, and what speaks for that. */
export interface LifelineWish {
  readonly pid: number | undefined
  /** What the session has already: proved or known once, it need not be again by whoever updates it. */
  readonly before: Lifeline | undefined
  /** Who asks, as the kernel says. */
  readonly peerPid?: number | undefined
  /** When the process began, as who asks says; of weight only where the kernel is not asked. */
  readonly pidStart?: string | undefined
}

/** The lifeline that a registration asks for. */
export function findLifeline(
  processes: Processes,
  { pid, before, peerPid, pidStart }: LifelineWish,
): Lifeline | undefined {
  const wished = pid === FIRST_PROCESS ? undefined : knownProcess(processes, pid)
  if (wished === undefined) return undefined
  const { isForebear } = processes
  const known = isSameProcess(before, wished) ? before : undefined
  if (isForebear === undefined) {
    const endsSession = known?.endsSession === true || pidStart === wished.startTime
    return { ...wished, isProven: false, endsSession }
  }
  if (known?.isProven === true) return known
  if (peerPid === undefined || !isForebear(wished.pid, peerPid)) return undefined
  return { ...wished, isProven: true, endsSession: true }
}

/** Whether a process runs; a system that cannot say just now, for want of descriptors, does not make it dead. */
export function isRunning(processes: Processes, { pid, startTime }: KnownProcess): boolean {
  try {
    return processes.startTime(pid) === startTime
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error
    return true
  }
}

/** Whether both are known and one process. */
export function isSameProcess(one: KnownProcess | undefined, other: KnownProcess | undefined): boolean {
  return one !== undefined && one.pid === other?.pid && one.startTime === other.startTime
}
