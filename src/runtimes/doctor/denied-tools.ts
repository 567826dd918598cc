/**
 * Tools of ours that a runtime's own settings keep from the model: the server runs, and they are not there (OP-31).
 */
import type { DoctorFinding, Notes } from './finding.ts'

/** @param rules - as they stand in the file; none is no finding */
export function deniedTools(notes: Notes, path: string, rules: readonly string[]): readonly DoctorFinding[] {
  if (rules.length === 0) return []
  const sentence = `${path} keeps tools of agentd from the model: ${rules.join(', ')}.`
  return [notes.warn('mcp-denied', sentence, `take that out of ${path}`)]
}
