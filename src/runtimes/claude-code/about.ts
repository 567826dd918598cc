/**
 * Claude Code, as far as no hook asks: its name, its programs, how it is set up and what switches it off.
 */
import type { RuntimeAbout } from '../record/record.ts'
import { claudeFiles } from './setup.ts'
import { claudeDoctor } from './switches.ts'

/** Claude Code. */
export const about: RuntimeAbout = {
  title: 'Claude Code',
  programs: ['claude'],
  verified: { how: 'run', version: '2.1.332' },
  files: claudeFiles,
  doctor: claudeDoctor,
}
