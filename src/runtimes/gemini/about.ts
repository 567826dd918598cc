/**
 * Gemini CLI, as far as no hook asks: its name, its programs, how it is set up and what switches it off.
 */
import type { RuntimeAbout } from '../record/record.ts'
import { geminiFiles } from './setup.ts'
import { geminiDoctor } from './switches.ts'

/** Gemini CLI. */
export const about: RuntimeAbout = {
  title: 'Gemini CLI',
  programs: ['gemini'],
  verified: { how: 'run', version: '0.61.0' },
  files: geminiFiles,
  doctor: geminiDoctor,
}
