/**
 * `agentd mcp` and nothing else of the command line, from what `npm run build` has made.
 */
import { Command } from 'commander'
import { mcpCommand } from '../../../dist/cli/commands/runtimes/mcp.js'

await new Command('agentd')
  .option('--socket <path>')
  .option('--no-start')
  .addCommand(mcpCommand())
  .parseAsync(process.argv.slice(2), { from: 'user' })
