/**
 * VS Code, as far as no hook asks: its name, its programs, how it is set up and what switches it off.
 */
import type { RuntimeAbout } from '../record/record.ts'
import { vscodeFiles } from './setup.ts'
import { vscodeDoctor } from './switches.ts'

/** VS Code. */
export const about: RuntimeAbout = {
  title: 'VS Code',
  programs: ['code'],
  verified: { how: 'documented', version: undefined },
  files: vscodeFiles,
  doctor: vscodeDoctor,
}
