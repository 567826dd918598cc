/**
 * Why a file cannot be read, as the end of a sentence.
 */
import { systemErrorCode, messageOf } from '../../core/thrown.ts'

/** What people most often get wrong, in their words; anything else is said as the system says it. */
const WORDS: ReadonlyMap<unknown, string> = new Map([
  ['ENOENT', 'there is no such file'],
  ['ENOTDIR', 'there is no such file'],
  ['EISDIR', 'it is a directory'],
  ['EACCES', 'you may not read it'],
  ['EPERM', 'you may not read it'],
])

/** @returns without a full stop */
export function describeReadFault(error: unknown): string {
  return WORDS.get(systemErrorCode(error)) ?? messageOf(error)
}
