/**
 * A file of somebody's configuration that cannot be read.
 */
import type { ConfigValue } from './config-text.ts'
import type { Finding, Notes } from './finding.ts'

/** @param so - what that means for the runtime; a sentence */
export function configFaults(notes: Notes, { path, fault }: ConfigValue, so: string): readonly Finding[] {
  if (fault === undefined) return []
  return [notes.fail('config', `${path} is not read: ${fault}. ${so}`, `repair ${path}`)]
}
