/**
 * Copilot CLI, as far as no hook asks: its name, its programs, how it is set up and what switches it off.
 */
import type { RuntimeAbout } from '../record/record.ts'
import { copilotFiles } from './setup.ts'
import { copilotDoctor } from './switches.ts'

/** Copilot CLI. */
export const about: RuntimeAbout = {
  title: 'Copilot CLI',
  programs: ['copilot'],
  verified: { how: 'run', version: '1.0.102' },
  files: copilotFiles,
  doctor: copilotDoctor,
}
