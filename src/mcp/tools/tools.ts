/**
 * The tools, in the order hosts list them. Six at the most, so that they cost a session little.
 */
import { askTool } from './ask.ts'
import { inboxTool } from './inbox.ts'
import { lockTool } from './lock.ts'
import { rosterTool } from './roster.ts'
import { sendTool } from './send.ts'
import type { Tool } from '../session/tool.ts'

/** Fixed: a host that caches the list compares it. */
export const TOOLS: readonly Tool[] = [sendTool, inboxTool, askTool, rosterTool, lockTool]
