/**
 * What Claude Code says a shell command has changed: it compares the repository before and after it, where it may.
 *
 * @see docs/runtimes.md §1.12; OP-24
 */
import { listMember, memberOf, objectOf } from '../../core/text/json-object.ts'

/** Files that a command has changed. */
export interface RecordedChanges {
  /** Absolute, each once. */
  readonly files: readonly string[]
  /** Whether there are no others in that repository. */
  readonly isWhole: boolean
}

/**
 * @param response - of the tool
 * @returns undefined without a record, and for one that does not say whose changes they are: of a command that moved the
 *   working tree, or beside another one
 */
export function recordedChanges(response: unknown): RecordedChanges | undefined {
  const record = memberOf(objectOf(response), 'bashEditDiff')
  const diff = objectOf(record)
  const isSet = (name: string): boolean => memberOf(diff, name) === true
  if (diff !== record || isSet('skipped') || isSet('shared')) return undefined
  const files = listMember(diff, 'changedFiles').filter((file) => typeof file === 'string')
  const isWhole = !isSet('unavailable')
  return { files: [...new Set(files.filter((file) => file.startsWith('/')))], isWhole }
}
