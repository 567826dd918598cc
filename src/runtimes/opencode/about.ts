/**
 * OpenCode, as far as no hook asks: its name, its programs, how it is set up and what switches it off.
 */
import type { RuntimeAbout } from '../record/record.ts'
import { opencodeFiles } from './setup.ts'
import { opencodeDoctor } from './switches.ts'

/** OpenCode. */
export const about: RuntimeAbout = {
  title: 'OpenCode',
  programs: ['opencode'],
  verified: { how: 'run', version: '1.18.33' },
  files: opencodeFiles,
  doctor: opencodeDoctor,
}
