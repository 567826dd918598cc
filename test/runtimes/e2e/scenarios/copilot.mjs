/** The Copilot CLI. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { must } from '../support/checks.mjs'
import { copilotEvents, copilotPrompt, furnishCopilot } from '../support/copilot.mjs'
import { furnishedStage } from '../support/furnished.mjs'

const RUNTIME = 'copilot'

async function furnished(context) {
  const { stage, cwd, model } = await furnishedStage(context, [RUNTIME], (at) => furnishCopilot(at))
  const copilot = async (prompt) => {
    const done = await copilotPrompt(stage, { cwd, actor: 'copilot', model, prompt })
    must(done.code === 0, done.out + done.err)
    return done
  }
  return { stage, cwd, model, copilot }
}

export const scenarios = [
  {
    id: 'copilot.context',
    capability: 'deliver-prompt',
    title: 'the handover is shown with the prompt, and the session is on the roster while it works',
    async run(context) {
      const { stage, cwd, model, copilot } = await furnished(context)
      let seen
      model.plan(async () => {
        seen = await stage.roster()
        return { text: 'done' }
      })
      await stage.agentd('handover', 'Look at the lexer.', '--pointer', join(cwd, 'README.md'))
      await copilot('hello')
      must(model.wasShown('Look at the lexer.'), 'the handover was not shown')
      must(seen.length === 1 && seen[0].tool === 'copilot', `the roster was ${JSON.stringify(seen)}`)
      must(copilotEvents(stage, 'copilot')[0].session_id === seen[0].session_id, 'the session has another id')
      await stage.left(seen[0].session_id)
      return { delivery: seen[0].delivery }
    },
  },
  {
    id: 'copilot.edit',
    capability: 'edits',
    title: 'an edit is announced',
    async run(context) {
      const { stage, cwd, model, copilot } = await furnished(context)
      const path = join(cwd, 'README.md')
      model.plan({ tool: 'edit', input: { path, old_str: 'A project.', new_str: 'A good project.' } })
      await copilot('improve the readme')
      must(readFileSync(path, 'utf8') === 'A good project.\n', 'the edit was not made')
      await stage.announced(copilotEvents(stage, 'copilot')[0].session_id, 'README.md')
    },
  },
  {
    id: 'copilot.edit-shown',
    capability: 'edits-shown',
    title: 'that somebody else is at a file is shown when it is edited',
    async run(context) {
      const { stage, cwd, model, copilot } = await furnished(context)
      await stage.say('agent_advise', { text: 'editing README.md', file_refs: ['README.md'], worktree: cwd })
      const path = join(cwd, 'README.md')
      model.plan({ tool: 'edit', input: { path, old_str: 'A project.', new_str: 'A good project.' } })
      await copilot('improve the readme')
      must(model.wasShown('announced work on README.md in this worktree'), 'the advisory was not shown')
    },
  },
  {
    id: 'copilot.busy',
    capability: 'deliver-busy',
    title: 'a message that comes within a turn is shown after the next tool, and once',
    async run(context) {
      const { stage, cwd, model, copilot } = await furnished(context)
      model.plan(async () => {
        await stage.say('agent_broadcast', { event_class: 'merged', text: 'Main has moved.' })
        return { tool: 'view', input: { path: join(cwd, 'README.md') } }
      })
      await copilot('look around')
      const times = model.requests.at(-1).text.split('Main has moved.').length - 1
      must(times === 1, `the message was shown ${times} times`)
    },
  },
  {
    id: 'copilot.tools',
    capability: 'mcp',
    title: 'the tools are there, and ask for a name since Copilot says no session',
    async run(context) {
      const { model, copilot } = await furnished(context)
      model.plan({ tool: 'agentd_roster', input: {} }, { tool: 'agentd_roster', input: { as: 'reviewer' } })
      await copilot('who is here?')
      must(model.missing.length === 0, `Copilot offers no ${model.missing.join(', ')}`)
      must(model.wasShown('"you":'), 'the tool did not answer')
      return { identity: model.wasShown('Call again with') ? 'named' : 'known' }
    },
  },
  {
    id: 'copilot.keep-going',
    capability: 'turn-end',
    title: 'a question that comes at the end of a turn makes it go on, once',
    async run(context) {
      const { stage, model, copilot } = await furnished(context)
      model.plan(async () => {
        const { address } = await stage.someone()
        await stage.query(address, 'Are you done?')
        return { text: 'nearly' }
      })
      await copilot('hello')
      must(model.wasShown('Are you done?'), 'the question was not shown')
      must(model.requests.length === 2, `the model was asked ${model.requests.length} times`)
    },
  },
].map((scenario) => ({ ...scenario, runtime: RUNTIME, needs: [RUNTIME] }))
