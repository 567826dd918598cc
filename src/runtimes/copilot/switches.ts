/**
 * What makes the Copilot CLI leave us out without a word.
 *
 * @see docs/runtimes.md §5.1
 */
import { join } from 'node:path'
import { readJsonConfig, readJsonFolder } from '../doctor/config-text.ts'
import { notesOn, type DoctorFinding } from '../doctor/finding.ts'
import type { DoctorTarget, RuntimeDoctor } from '../doctor/target.ts'
import { copilotHome } from './paths.ts'

/** What the doctor knows of the Copilot CLI alone. */
export const copilotDoctor: RuntimeDoctor = { switches: copilotSwitches, scrubsVariables: true }

function copilotSwitches({ user }: DoctorTarget): readonly DoctorFinding[] {
  const notes = notesOn('copilot')
  const home = copilotHome(user)
  const files = [
    ...[
      join(home, 'settings.json'),
      join(home, 'config.json'),
      join(user.project, '.github', 'copilot', 'settings.json'),
      join(user.project, '.github', 'copilot', 'settings.local.json'),
    ].map(readJsonConfig),
    ...readJsonFolder(join(home, 'hooks')),
  ]
  return files
    .filter(({ value }) => value['disableAllHooks'] === true)
    .map(({ path }) =>
      notes.fail(
        'disable-all-hooks',
        `disableAllHooks in ${path} switches off hooks of the Copilot CLI.`,
        `take it out of ${path}`,
      ),
    )
}
