/** OpenCode. */
import { join } from 'node:path'
import { must, timed } from '../support/checks.mjs'
import { OpencodeServer, furnishOpencode, opencodeRun, recordPlugin } from '../support/opencode.mjs'

const RUNTIME = 'opencode'

async function furnished(context, words = []) {
  const stage = context.stage()
  const cwd = stage.repository()
  const model = context.model('opencode')
  furnishOpencode(stage, model)
  await stage.agentd('setup', RUNTIME, '--yes', ...words)
  if (words.includes('--plugin')) recordPlugin(stage)
  await stage.startDaemon()
  return { stage, cwd, model, opencode: (prompt) => opencodeRun(stage, { cwd, prompt }) }
}

export const scenarios = [
  {
    id: 'opencode.tools',
    capability: 'mcp',
    title: 'the tools are there and work under a name that is given',
    async run(context) {
      const { model, opencode } = await furnished(context)
      model.plan({ tool: 'agentd_roster', input: { as: 'reviewer' } })
      const done = await opencode('who is here?')
      must(done.code === 0, done.err.slice(-2_000))
      must(model.missing.length === 0, `OpenCode offers no ${model.missing.join(', ')}`)
      must(model.wasShown('"you":'), 'the tool did not answer')
      return { runMs: done.ms }
    },
  },
  {
    id: 'opencode.plugin',
    capability: 'edits',
    title: 'with the plugin an edit is announced, what waits is shown, and so is somebody else at the file',
    async run(context) {
      const { stage, cwd, model, opencode } = await furnished(context, ['--plugin'])
      await stage.say('agent_advise', { text: 'editing README.md', file_refs: ['README.md'], worktree: cwd })
      await stage.agentd('handover', 'Look at the lexer.', '--pointer', join(cwd, 'README.md'))
      const filePath = join(cwd, 'README.md')
      model.plan(
        { tool: 'read', input: { filePath } },
        { tool: 'write', input: { filePath, content: 'A good project.\n' } },
      )
      const done = await opencode('improve the readme')
      must(done.code === 0, done.err.slice(-2_000))
      must(model.wasShown('Look at the lexer.'), 'the handover was not shown')
      must(model.wasShown('announced work on README.md in this worktree'), 'the advisory was not shown')
      const sent = await stage.frames('agent_advisory')
      must(
        sent.some(({ sender }) => /\/opencode-[a-z0-9-]+@ses_/.test(sender)),
        'the edit was not announced',
      )
      return { runMs: done.ms }
    },
  },
  {
    id: 'opencode.wake',
    capability: 'wake',
    title: 'an idle session of the server wakes by a prompt of agentd',
    async run(context) {
      const { stage, cwd, model } = await furnished(context, ['--plugin'])
      const server = await OpencodeServer.start(stage, { cwd })
      const id = await server.startSession()
      await server.prompt(id, 'hello')
      await stage.quiet()
      const { address, delivery } = await stage.joined(id)
      const { ms } = await timed(async () => {
        await stage.query(address, 'Which port is free?')
        await model.heard('Which port is free?')
      })
      must(model.wasShown("in this session's agentd inbox"), 'it went another way than by a prompt')
      await server.call('DELETE', `/session/${id}`)
      await stage.left(id)
      return { driver: delivery.idle, wokenAfterMs: ms }
    },
  },
].map((scenario) => ({ ...scenario, runtime: RUNTIME, needs: [RUNTIME] }))
