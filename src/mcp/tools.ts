/**
 * The tools, in the order hosts list them. Six at the most, so that they cost a session little.
 */
import { askTool } from './ask-tool.ts'
import { inboxTool } from './inbox-tool.ts'
import { lockTool } from './lock-tool.ts'
import { rosterTool } from './roster-tool.ts'
import { sendTool } from './send-tool.ts'
import type { Tool } from './tool.ts'

/** Fixed: a host that caches the list compares it. */
export const TOOLS: readonly Tool[] = [sendTool, inboxTool, askTool, rosterTool, lockTool]
