/** What is written for those who come later, and what sessions are called (OP-25, OP-28, OP-32). */
import { join } from 'node:path'
import { answering, must } from '../support/checks.mjs'
import { ClaudeTerminal } from '../support/claude.mjs'
import { codexExec } from '../support/codex.mjs'
import { claudeStage, codexStage } from '../support/furnished.mjs'

/** Steps of a handover that is longer than a context of ours. */
const STEPS = 120

/** What Codex shows of a server's instructions. */
const SHOWN_CHARS = 200

function steps(count) {
  return Array.from(
    { length: count },
    (_, index) => `step ${index + 1} of the work, which is described here.`,
  )
}

function shownSteps(text) {
  return new Set(
    [...text.matchAll(/\| step (\d+) of the work, which is described here\./g)].map(([, n]) => n),
  ).size
}

const claude = [
  {
    id: 'people.claude-code.handover-whole',
    title:
      'a handover is shown whole, who was shown it stands in its receipts, and later ones read who took it (OP-25)',
    async run(context) {
      const { stage, cwd, start } = await claudeStage(context)
      const text = steps(40).join('\n')
      await stage.agentd('handover', text, '--pointer', join(cwd, 'README.md'))
      const [{ frame }] = await stage.frames('agent_handover')
      const first = await start('first')
      await first.prompt('what is there to do?')
      const shown = first.model.requests.at(-1).text
      must(shownSteps(shown) === 40, `${shownSteps(shown)} of 40 steps were shown`)
      must(!shown.includes('Cut here'), 'it says to have been cut')
      await stage.becomes(frame.frame_id, first.id, 'seen')
      const second = await start('second')
      await second.prompt('what is there to do?')
      const later = second.model.requests.at(-1).text
      must(later.includes(`taken over by "${first.address}"`), 'the later one does not read who has taken it')
      must(shownSteps(later) === 0, 'the later one was shown it as well')
    },
  },
  {
    id: 'people.claude-code.handover-cut',
    title: 'a handover that is longer than a context says how much was cut (OP-25)',
    async run(context) {
      const { stage, cwd, start } = await claudeStage(context)
      await stage.agentd('handover', steps(STEPS).join('\n'), '--pointer', join(cwd, 'README.md'))
      const session = await start('first')
      await session.prompt('what is there to do?')
      const shown = session.model.requests.at(-1).text
      const [, more] = /Cut here; (\d+) more lines/.exec(shown) ?? []
      must(more !== undefined, `${shownSteps(shown)} steps were shown, and nothing is said of the others`)
      must(
        shownSteps(shown) + Number(more) === STEPS,
        `${shownSteps(shown)} shown and ${more} cut are not ${STEPS}`,
      )
      return { shown: shownSteps(shown), cut: Number(more) }
    },
  },
  {
    id: 'people.claude-code.pattern',
    title: 'what is sent to ~<person>/cc-* reaches sessions of Claude Code, by whatever model (OP-28)',
    async run(context) {
      const { stage, start } = await claudeStage(context)
      const session = await start('reached')
      await session.prompt('hello')
      const { handle } = await stage.observer()
      must(session.address.startsWith(`${handle}/cc-`), `its address is ${session.address}`)
      const { queued_count: reached } = await stage.tell(`${handle}/cc-*`, 'Main has moved.')
      must(reached === 1, `${reached} were reached`)
      await session.prompt('and now?')
      must(session.model.wasShown('Main has moved.'), 'the message was not shown')
      return { address: session.address.replace(/@.*/, '') }
    },
  },
  {
    id: 'people.claude-code.ask-anybody',
    title: 'a question without a name wakes the only one who can answer (OP-28)',
    async run(context) {
      const { stage, start } = await claudeStage(context)
      const [first, second] = [await start('first'), await start('second')]
      await second.prompt('hello')
      // Whoever looks on could answer as well.
      await stage.dismissObserver()
      second.model.plan(answering('Port 4000 is free.'))
      first.model.plan({ tool: 'agentd_ask', input: { text: 'Which port is free?', wait_s: 40 } })
      await first.prompt('ask for a port')
      must(second.model.wasShown('Which port is free?'), 'the second session was not woken')
      must(first.model.wasShown('Port 4000 is free.'), 'the first session never got the answer')
    },
  },
  {
    id: 'people.claude-code.names',
    title: 'a session keeps its name over /clear and when it comes back, and is written to by it',
    async run(context) {
      const { stage, cwd, start } = await claudeStage(context)
      const session = await start('named')
      await session.prompt('hello')
      const { name } = session.entry
      const { session_id: id } = await session.clear()
      const cleared = await stage.joined(id)
      must(cleared.name === name, `behind /clear it is called ${cleared.name}, and was ${name}`)
      await stage.agentd('advise', '--to', name, 'By name.')
      await session.prompt('anything new?')
      must(session.model.wasShown('By name.'), 'what was sent to its name was not shown')
      await session.exit()
      await stage.left(id)
      const model = context.model('back')
      const back = await ClaudeTerminal.open(stage, { actor: 'back', cwd, model, args: ['--resume', id] })
      const again = await stage.joined(back.id)
      must(again.name === name, `when it came back it is called ${again.name}, and was ${name}`)
      return { name }
    },
  },
].map((scenario) => ({ ...scenario, runtime: 'claude-code', needs: ['claude-code'] }))

const codex = [
  {
    id: 'people.codex.purposes',
    title: 'where Codex lists tools that are not loaded yet it shows what ours are good for (OP-32)',
    async run(context) {
      const { stage, cwd, model } = await codexStage(context)
      const done = await codexExec(stage, { cwd, actor: 'codex', prompt: 'hello' })
      must(done.code === 0, done.err)
      const shown = JSON.stringify(model.requests[0].body)
      const at = shown.indexOf("Talk with the user's other coding-agent sessions")
      must(at >= 0, 'Codex shows no word of what the tools are for')
      const words = shown.slice(at, at + SHOWN_CHARS)
      must(/see who is here/.test(words) && /ask one and wait/.test(words), `it shows ${words}`)
      return { shows: words }
    },
  },
].map((scenario) => ({ ...scenario, runtime: 'codex', needs: ['codex'] }))

/** What all of them are about. */
export const scenarios = [...claude, ...codex].map((scenario) => ({ ...scenario, capability: 'people' }))
