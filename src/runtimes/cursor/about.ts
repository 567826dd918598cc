/**
 * Cursor, as far as no hook asks: its name, its programs, how it is set up and what switches it off.
 */
import type { RuntimeAbout } from '../record/record.ts'
import { cursorFiles } from './setup.ts'
import { cursorDoctor } from './switches.ts'

/** Cursor. */
export const about: RuntimeAbout = {
  title: 'Cursor',
  programs: ['cursor', 'cursor-agent'],
  verified: { how: 'documented', version: undefined },
  files: cursorFiles,
  doctor: cursorDoctor,
}
