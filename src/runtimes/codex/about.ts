/**
 * Codex CLI, as far as no hook asks: its name, its programs, how it is set up and what switches it off.
 */
import type { RuntimeAbout } from '../record/record.ts'
import { codexFiles } from './setup.ts'
import { codexDoctor } from './switches.ts'

/** Codex CLI. */
export const about: RuntimeAbout = {
  title: 'Codex CLI',
  programs: ['codex'],
  verified: { how: 'run', version: '0.171.0' },
  files: codexFiles,
  doctor: codexDoctor,
}
