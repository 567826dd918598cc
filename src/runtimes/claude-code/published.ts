/**
 * The hooks of the plugin that stands in the repository: those of set-up, with agentd found by its name.
 */
import { namedLine } from '../setup/files/launch.ts'
import { claudeHooksBy } from './setup.ts'

/** Its file of hooks; Codex reads the same folder, and would run those of a `hooks.json` as its own. */
export const PUBLISHED_HOOKS = 'claude-code.json'

/** What that file holds. */
export const NAMED_HOOKS = claudeHooksBy({
  event: () => namedLine('claude-code'),
  waiting: () => namedLine('claude-code', 'wait'),
})
