/**
 * The files that set-up would write for a runtime.
 */
import type { RuntimePaths } from '../setup/paths.ts'
import type { DesiredFile } from '../setup/target.ts'
import type { DoctorTarget } from './target.ts'

/** Those of both parts, and of the plugin too. */
export function desiredFiles(
  { setup, surroundings }: DoctorTarget,
  places: RuntimePaths,
): readonly DesiredFile[] {
  return setup.files({
    places,
    launch: surroundings.launch,
    // Claude Code refuses to want hooks beside its plugin; both are looked for here.
    parts: setup.id === 'claude-code' ? [] : ['hooks', 'mcp'],
    plugin: true,
  })
}
