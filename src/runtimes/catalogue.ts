/**
 * The agent runtimes agentd knows, one row each. All that is said of runtimes anywhere comes from here: hooks, the
 * files of set-up, the doctor, MCP's identities, the help of the commands and the README's table.
 *
 * Another one is a folder with its record, and a row.
 */
import { claudeCode } from './claude-code/runtime.ts'
import { codex } from './codex/runtime.ts'
import { copilot } from './copilot/runtime.ts'
import { cursor } from './cursor/runtime.ts'
import type { EventNames } from './events/hook-runtime.ts'
import { gemini } from './gemini/runtime.ts'
import { opencode } from './opencode/runtime.ts'
import type { Runtime } from './record/record.ts'
import { vscode } from './vscode/runtime.ts'

/**
 * In the order they are shown in. Who runs the hooks of another stands behind it, and so does VS Code behind the
 * Copilot CLI: the file they share is the latter's own.
 */
export const RUNTIMES: readonly Runtime[] = [claudeCode, codex, cursor, gemini, copilot, vscode, opencode]

/** What any of them calls what happens: one runs the hooks of another, and keeps its names. */
export const EVENT_NAMES: EventNames = Object.fromEntries(
  RUNTIMES.flatMap(({ eventNames }) => Object.entries(eventNames)),
)

/** @returns undefined for an id that is none's */
export function findRuntime(id: string | undefined): Runtime | undefined {
  return RUNTIMES.find((runtime) => runtime.id === id)
}
