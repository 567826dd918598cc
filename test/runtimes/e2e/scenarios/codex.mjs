/** The Codex CLI, alone and with Claude Code. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { answering, must, timed, times } from '../support/checks.mjs'
import { ClaudeTerminal, furnishClaude } from '../support/claude.mjs'
import {
  CodexServer,
  CodexTerminal,
  PATCHING_MODEL,
  codexEvents,
  codexExec,
  furnishCodex,
} from '../support/codex.mjs'
import { furnishedStage } from '../support/furnished.mjs'

const RUNTIME = 'codex'

/** Its queue is looked at every ten seconds or so. */
const QUEUE_MS = 30_000

/** What agentd puts into the queue. */
const NOTICE = "in this session's agentd inbox"

const PATCH = `*** Begin Patch
*** Update File: README.md
@@
-A project.
+A good project.
*** End Patch`

async function furnished(context, { withClaude = false, name } = {}) {
  const runtimes = [RUNTIME, ...(withClaude ? ['claude-code'] : [])]
  const { stage, cwd, model } = await furnishedStage(context, runtimes, (at, repository, asked) => {
    furnishCodex(at, asked, [repository], { name })
    if (withClaude) furnishClaude(at, [repository])
  })
  const claude = (actor) => ClaudeTerminal.start(stage, { actor, cwd, model: context.model(actor) })
  const codex = (prompt, more) => codexExec(stage, { cwd, actor: 'codex', prompt, ...more })
  return { stage, cwd, model, claude, codex }
}

function sessionOf(stage) {
  return codexEvents(stage, 'codex')[0].session_id
}

const own = [
  {
    id: 'codex.setup',
    capability: 'setup',
    title: 'setup keeps hooks and configuration of others, and undo restores both files byte for byte',
    async run(context) {
      const { stage } = await furnished(context)
      const before = context.stage()
      furnishCodex(before, context.model('codex'), [stage.file('repo')])
      await stage.agentd('setup', RUNTIME, '--undo', '--yes')
      for (const file of ['.codex/hooks.json', '.codex/config.toml']) {
        const expected = normalised(before.readHome(file).replaceAll(before.path, stage.path))
        must(normalised(stage.readHome(file)) === expected, `undo did not restore ${file}`)
      }
    },
  },
  {
    id: 'codex.trust',
    capability: 'trust',
    title: 'hooks that nobody has trusted are not run, and Codex says which those are',
    async run(context) {
      const { stage, cwd, codex } = await furnished(context)
      const done = await codex('hello', { isTrusted: false })
      must(done.code === 0, done.err)
      must(codexEvents(stage).length === 0 && (await stage.roster()).length === 0, 'an untrusted hook ran')
      const server = await CodexServer.start(stage, { cwd, actor: 'server' })
      const before = (await server.hooks()).map(({ trustStatus }) => trustStatus)
      const after = (await server.trustHooks()).map(({ trustStatus }) => trustStatus)
      await server.end()
      must(
        before.every((status) => status === 'untrusted'),
        `they were ${before.join(' ')}`,
      )
      must(
        after.every((status) => status === 'trusted'),
        `they then were ${after.join(' ')}`,
      )
      // It works the hash out itself, so it has to be that of this very version.
      const said = await stage.agentd('doctor', 'codex')
      const line = said.split('\n').find((one) => one.includes('Codex trusts all'))
      must(line !== undefined, `the doctor says ${said}`)
      return { hooks: after.length, doctor: line.trim() }
    },
  },
  {
    id: 'codex.tools',
    capability: 'mcp',
    title: 'the tools know the session by the thread id Codex sends with each call',
    async run(context) {
      const { stage, model, codex } = await furnished(context)
      model.plan({ tool: 'agentd_roster', input: {} })
      const done = await codex('who is here?')
      must(done.code === 0, done.err)
      must(
        model.wasShown(`"you":"`) && model.wasShown(`@${sessionOf(stage)}"`),
        'the tool speaks as somebody else',
      )
      await stage.left(sessionOf(stage))
    },
  },
  {
    id: 'codex.edit-announced',
    capability: 'edits',
    title: 'a patch by the tool of its own is announced, and one by somebody else shown before it',
    async run(context) {
      const { stage, cwd, model, codex } = await furnished(context, { name: PATCHING_MODEL })
      await stage.say('agent_advise', { text: 'editing README.md', file_refs: ['README.md'], worktree: cwd })
      model.plan({ tool: 'apply_patch', input: PATCH })
      const done = await codex('improve the readme')
      must(done.code === 0, done.err)
      must(readFileSync(join(cwd, 'README.md'), 'utf8') === 'A good project.\n', 'the patch was not applied')
      await stage.announced(sessionOf(stage), 'README.md')
      must(model.wasShown('announced work on README.md in this worktree'), 'the advisory was not shown')
    },
  },
  {
    id: 'codex.edit-in-shell',
    capability: 'edits-shell',
    title: 'a patch that is applied in a shell command is announced too',
    async run(context) {
      const { stage, cwd, model, codex } = await furnished(context)
      model.plan({ tool: 'exec_command', input: { cmd: `apply_patch <<'EOF'\n${PATCH}\nEOF` } })
      const done = await codex('improve the readme')
      must(done.code === 0, done.err)
      must(readFileSync(join(cwd, 'README.md'), 'utf8') === 'A good project.\n', 'the patch was not applied')
      const names = codexEvents(stage, 'codex').map(({ hook_event_name: name }) => name)
      await stage.announced(sessionOf(stage), 'README.md').catch((error) => {
        throw new Error(`${error.message}; its hooks were called for ${names.join(', ')}`, { cause: error })
      })
    },
  },
  {
    id: 'codex.shell-write',
    capability: 'edits-shell',
    title: 'a file written by a shell command is announced',
    async run(context) {
      const { stage, model, codex } = await furnished(context)
      model.plan({ tool: 'exec_command', input: { cmd: 'echo hello > made.txt' } })
      const done = await codex('make a file')
      must(done.code === 0, done.err)
      await stage.announced(sessionOf(stage), 'made.txt')
    },
  },
  {
    id: 'codex.keep-going',
    capability: 'turn-end',
    title: 'a question that comes at the end of a turn makes it go on, once',
    async run(context) {
      const { stage, model, codex } = await furnished(context)
      model.plan(async () => {
        const { address } = await stage.someone()
        await stage.query(address, 'Are you done?')
        return { text: 'nearly' }
      })
      const done = await codex('hello')
      must(done.code === 0, done.err)
      must(model.wasShown('Are you done?'), 'the question was not shown')
      must(model.requests.length === 2, `the model was asked ${model.requests.length} times`)
    },
  },
  {
    id: 'codex.wake',
    capability: 'wake',
    title: 'an idle thread of the app server wakes by the queue of Codex',
    async run(context) {
      const { stage, cwd, model } = await furnished(context)
      const server = await CodexServer.start(stage, { cwd, actor: 'codex' })
      await server.trustHooks()
      const thread = await server.startThread()
      await server.turn(thread, 'hello')
      const { address, delivery } = await stage.joined(thread)
      const { ms } = await timed(async () => {
        await stage.query(address, 'Which port is free?')
        await model.heard('Which port is free?', { timeoutMs: QUEUE_MS })
      })
      const notices = times(model.requests.at(-1).text, NOTICE)
      must(notices === 1, `it was woken ${notices} times for one question`)
      await server.end()
      await stage.left(thread)
      return { driver: delivery.idle, wokenAfterMs: ms }
    },
  },
  {
    id: 'codex.wake-terminal',
    capability: 'wake',
    title: 'an idle session in a terminal wakes by the queue of Codex, and its end takes it off the roster',
    async run(context) {
      const { stage, cwd, model } = await furnished(context)
      const terminal = new CodexTerminal(stage, { cwd, actor: 'codex' })
      await terminal.prompt('hello')
      const { address, delivery, session_id: id } = await stage.joined(sessionOf(stage))
      const { ms } = await timed(async () => {
        await stage.query(address, 'Which port is free?')
        await model.heard('Which port is free?', { timeoutMs: QUEUE_MS })
      })
      must(model.wasShown(NOTICE), 'it went another way than by the queue')
      await terminal.event('Stop', 1)
      await terminal.exit()
      await stage.left(id)
      return { driver: delivery.idle, wokenAfterMs: ms }
    },
  },
].map((scenario) => ({ ...scenario, runtime: RUNTIME, needs: [RUNTIME] }))

const together = [
  {
    id: 'codex.handover',
    capability: 'handover',
    title: 'two Claude Code sessions and a Codex session leave work to each other',
    async run(context) {
      const { stage, model, claude, codex } = await furnished(context, { withClaude: true })
      const first = await claude('first')
      first.model.plan({
        tool: 'agentd_send',
        input: {
          kind: 'handover',
          text: 'The parser is half done; start at README.md.',
          refs: ['README.md'],
        },
      })
      await first.prompt('hand over')
      await first.exit()
      await stage.left(first.id)
      model.plan({
        tool: 'agentd_send',
        input: { kind: 'handover', text: 'The parser is done; the lexer is next.' },
      })
      const done = await codex('carry on')
      must(done.code === 0, done.err)
      must(model.wasShown('The parser is half done; start at README.md.'), 'Codex was not shown the handover')
      const second = await claude('second')
      await second.prompt('what is next?')
      must(
        second.model.wasShown('The parser is done; the lexer is next.'),
        'Claude Code was not shown the handover',
      )
    },
  },
  {
    id: 'codex.question',
    capability: 'question',
    title: 'a question of Codex wakes an idle Claude Code session, which answers it',
    async run(context) {
      const { model, claude, codex } = await furnished(context, { withClaude: true })
      const session = await claude('answering')
      await session.prompt('hello')
      session.model.plan(answering('Use port 4000.'))
      model.plan({
        tool: 'agentd_ask',
        input: { text: 'Which port is free?', to: session.address, wait_s: 20 },
      })
      const { value: done, ms } = await timed(() => codex('ask for a port'))
      must(done.code === 0, done.err)
      must(model.wasShown('Use port 4000.'), 'Codex never got the answer')
      return { runMs: ms }
    },
  },
].map((scenario) => ({ ...scenario, runtime: RUNTIME, needs: [RUNTIME, 'claude-code'] }))

/** The port of the model and nothing else differs from one home to the next. */
function normalised(text) {
  return text.replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:0')
}

export const scenarios = [...own, ...together]
