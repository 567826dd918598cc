/**
 * The exit code of a program that a signal ended, as a shell counts.
 */
import { constants } from 'node:os'

const SIGNAL_BASE = 128

/** 128 and the number of the signal; 128 alone for none. */
export function signalCode(signal: NodeJS.Signals | null): number {
  return SIGNAL_BASE + (signal === null ? 0 : constants.signals[signal])
}
