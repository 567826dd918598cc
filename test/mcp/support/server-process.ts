/**
 * The server as runtimes start it: a process of its own.
 */
import { fileURLToPath } from 'node:url'
import { createProgram } from '../../../src/cli/program.ts'

const COMMAND = fileURLToPath(new URL('../../../bin/agentd.cjs', import.meta.url))
const BY_ITSELF = fileURLToPath(new URL('agentd-mcp.mjs', import.meta.url))

/** Arguments for Node: the command, or where the command line does not have it, the command by itself. */
export function serverArgs(...more: readonly string[]): readonly string[] {
  const isThere = createProgram([]).commands.some((command) => command.name() === 'mcp')
  return [isThere ? COMMAND : BY_ITSELF, 'mcp', ...more]
}
