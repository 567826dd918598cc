/**
 * What makes Cursor leave us out without a word.
 *
 * @see docs/runtimes.md §3
 */
import { hasClaudeHooks } from '../claude-code/switches.ts'
import { notesOn, type DoctorFinding } from '../doctor/finding.ts'
import type { HookFile } from '../doctor/hook-file.ts'
import type { DoctorTarget, RuntimeDoctor } from '../doctor/target.ts'

/** What the doctor knows of Cursor alone. */
export const cursorDoctor: RuntimeDoctor = { switches: cursorSwitches }

function cursorSwitches({ user }: DoctorTarget, files: readonly HookFile[]): readonly DoctorFinding[] {
  const notes = notesOn('cursor')
  if (!files.some(({ hasOwn }) => hasOwn) || !hasClaudeHooks(user)) return []
  return [
    notes.ok(
      'hooks-double',
      'Cursor may run the hooks of Claude Code as well; agentd deals with each event once.',
    ),
  ]
}
