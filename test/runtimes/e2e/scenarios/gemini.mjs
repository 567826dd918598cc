/** The Gemini CLI. */
import { join } from 'node:path'
import { must } from '../support/checks.mjs'
import { furnishedStage } from '../support/furnished.mjs'
import { furnishGemini, geminiCommand, geminiEvents, geminiPrompt } from '../support/gemini.mjs'

const RUNTIME = 'gemini'

async function furnished(context) {
  const { stage, cwd, model } = await furnishedStage(context, [RUNTIME], (at) => furnishGemini(at))
  const gemini = (prompt) => geminiPrompt(stage, { cwd, actor: 'gemini', model, prompt })
  return { stage, cwd, model, gemini }
}

export const scenarios = [
  {
    id: 'gemini.setup',
    capability: 'setup',
    title: 'the server that setup wrote is found, and undo restores the settings byte for byte',
    async run(context) {
      const { stage, cwd, model } = await furnished(context)
      const listed = await geminiCommand(stage, { cwd, actor: 'setup', model, args: ['mcp', 'list'] })
      must(
        /agentd:.*Connected/.test(listed.out + listed.err),
        `"gemini mcp list" does not connect: ${listed.out}${listed.err}`,
      )
      await stage.agentd('setup', RUNTIME, '--undo', '--yes')
      const before = context.stage()
      furnishGemini(before)
      const expected = before.readHome('.gemini/settings.json').replaceAll(before.path, stage.path)
      must(stage.readHome('.gemini/settings.json') === expected, 'undo did not restore settings.json')
    },
  },
  {
    id: 'gemini.trust',
    capability: 'trust',
    title: 'in a folder that is not trusted it connects no server of the user, and says so',
    async run(context) {
      const { stage, cwd, model } = await furnished(context)
      const untrusted = { cwd, actor: 'untrusted', model, isTrusted: false }
      const listed = await geminiCommand(stage, { ...untrusted, args: ['mcp', 'list'] })
      must(/agentd:.*Disabled/.test(listed.out + listed.err), `it lists ${listed.out}${listed.err}`)
      const done = await geminiCommand(stage, { ...untrusted, args: ['-p', 'hello'] })
      return { headlessExit: done.code, hooksRun: geminiEvents(stage, 'untrusted').length }
    },
  },
  {
    id: 'gemini.context',
    capability: 'deliver-prompt',
    title: 'what waits is shown with the prompt, and the session is on the roster while it works',
    async run(context) {
      const { stage, cwd, model, gemini } = await furnished(context)
      let seen
      model.plan(async () => {
        seen = await stage.roster()
        return { text: 'done' }
      })
      await stage.agentd('handover', 'Look at the lexer.', '--pointer', join(cwd, 'README.md'))
      const done = await gemini('hello')
      must(done.code === 0, done.err.slice(-2_000))
      must(model.wasShown('Look at the lexer.'), 'the handover was not shown')
      must(seen.length === 1 && seen[0].tool === 'gemini', `the roster was ${JSON.stringify(seen)}`)
      must(geminiEvents(stage, 'gemini')[0].session_id === seen[0].session_id, 'the session has another id')
      await stage.left(seen[0].session_id)
      return { delivery: seen[0].delivery }
    },
  },
  {
    id: 'gemini.edit',
    capability: 'edits',
    title: 'an edit is announced, and that somebody else is at the file is shown after it',
    async run(context) {
      const { stage, cwd, model, gemini } = await furnished(context)
      await stage.say('agent_advise', { text: 'editing README.md', file_refs: ['README.md'], worktree: cwd })
      model.plan({
        tool: 'write_file',
        input: { file_path: join(cwd, 'README.md'), content: 'A good project.\n' },
      })
      const done = await gemini('improve the readme')
      must(done.code === 0, done.err.slice(-2_000))
      await stage.announced(geminiEvents(stage, 'gemini')[0].session_id, 'README.md')
      must(model.wasShown('announced work on README.md in this worktree'), 'the advisory was not shown')
    },
  },
  {
    id: 'gemini.tools',
    capability: 'mcp',
    title: 'the tools are there, and ask for a name since Gemini says no session',
    async run(context) {
      const { model, gemini } = await furnished(context)
      model.plan({ tool: 'agentd_roster', input: {} }, { tool: 'agentd_roster', input: { as: 'reviewer' } })
      const done = await gemini('who is here?')
      must(done.code === 0, done.err.slice(-2_000))
      must(model.missing.length === 0, `Gemini offers no ${model.missing.join(', ')}`)
      const asked = model.wasShown('Call again with')
      must(model.wasShown('/reviewer@') || model.wasShown('"you":'), 'the tool did not answer')
      return { identity: asked ? 'named' : 'known' }
    },
  },
  {
    id: 'gemini.keep-going',
    capability: 'turn-end',
    title: 'a question that comes at the end of a turn makes it go on, once',
    async run(context) {
      const { stage, model, gemini } = await furnished(context)
      model.plan(async () => {
        const { address } = await stage.someone()
        await stage.query(address, 'Are you done?')
        return { text: 'nearly' }
      })
      const done = await gemini('hello')
      must(done.code === 0, done.err.slice(-2_000))
      must(model.wasShown('Are you done?'), 'the question was not shown')
      must(model.requests.length === 2, `the model was asked ${model.requests.length} times`)
    },
  },
].map((scenario) => ({ ...scenario, runtime: RUNTIME, needs: [RUNTIME] }))
