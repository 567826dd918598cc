/**
 * The files that set-up would write for a runtime.
 */
import type { Places } from '../setup/paths.ts'
import type { WantedFile } from '../setup/target.ts'
import type { Patient } from './target.ts'

/** Those of both parts, and of the plugin too. */
export function wantedFiles({ setup, surroundings }: Patient, places: Places): readonly WantedFile[] {
  return setup.files({
    places,
    launch: surroundings.launch,
    // Claude Code refuses to want hooks beside its plugin; both are looked for here.
    parts: setup.id === 'claude-code' ? [] : ['hooks', 'mcp'],
    plugin: true,
  })
}
