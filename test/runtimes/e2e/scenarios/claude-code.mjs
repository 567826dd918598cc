/** Claude Code, with hooks and tools that `agentd setup` put there. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { answering, must, timed, times } from '../support/checks.mjs'
import {
  ClaudeStream,
  ClaudeTerminal,
  claudeVariables,
  furnishClaude,
  readAndEdit,
} from '../support/claude.mjs'
import { processesOf } from '../support/cleanup.mjs'
import { claudeHome, claudeStage, withOneAtTheFile } from '../support/furnished.mjs'
import { sleep, until } from '../support/waiting.mjs'

const RUNTIME = 'claude-code'
const needs = [RUNTIME]

/** How long a headless run with one short turn may take to end by itself, in milliseconds. */
const HEADLESS_MS = 60_000

/** How long a hook may take to start the daemon, and then to register. */
const DAEMON_MS = 20_000
const REGISTER_MS = 1_000

/** A prompt is told when nobody has typed for six seconds. */
const TOLD_MS = 30_000

/** How long processes of ours may outlive the session they are for. */
const LEAVE_MS = 5_000

/** What a hook that waits may take from its start until the daemon knows of it, in milliseconds. */
const ARMED_MS = 250

/** Takes the waiting hooks out, as somebody does who wants Claude Code's own inbox to be used. */
function removeWaitingHooks(stage) {
  const path = join(stage.home, '.claude/settings.json')
  const settings = JSON.parse(readFileSync(path, 'utf8'))
  for (const [event, groups] of Object.entries(settings.hooks)) {
    const kept = groups.map((group) => ({ ...group, hooks: group.hooks.filter((hook) => !hook.asyncRewake) }))
    settings.hooks[event] = kept.filter((group) => group.hooks.length > 0)
  }
  writeFileSync(path, JSON.stringify(settings))
}

function waiters(stage) {
  return processesOf(stage.path).filter(({ command }) =>
    /agentd-wait [a-z-]+ |v1\/hooks\/[a-z-]+\/wait$/.test(command),
  )
}

/** Waits until somebody waits who has been there long enough to have told the daemon. */
async function armed(stage) {
  const since = new Map()
  const isArmed = () =>
    waiters(stage).some(({ pid }) => {
      since.set(pid, since.get(pid) ?? performance.now())
      return performance.now() - since.get(pid) >= ARMED_MS
    })
  await until(isArmed, LEAVE_MS, 'the hook that waits is not armed')
}

export const scenarios = [
  {
    id: 'claude-code.setup',
    capability: 'setup',
    title: 'setup adds hooks and server beside those of others, and undo takes them away again',
    async run(context) {
      const { stage, cwd } = await claudeStage(context)
      const settings = JSON.parse(stage.readHome('.claude/settings.json'))
      const [first] = settings.hooks.SessionStart
      must(
        first.hooks[0].args[0].endsWith('capture-hook.mjs'),
        'the hook of somebody else is no longer first',
      )
      const program = stage.programs.get(RUNTIME)
      const env = claudeVariables(stage, context.model('setup'), 'setup')
      const listed = await stage.run(program, ['mcp', 'list'], { cwd, env })
      must(
        /agentd:.*Connected/.test(listed.out),
        `"claude mcp list" does not connect: ${listed.out}${listed.err}`,
      )
      await stage.agentd('setup', RUNTIME, '--undo', '--yes')
      const before = context.stage()
      furnishClaude(before, [cwd])
      const expected = before.readHome('.claude/settings.json').replaceAll(before.path, stage.path)
      must(stage.readHome('.claude/settings.json') === expected, 'undo did not restore settings.json')
      const state = JSON.parse(stage.readHome('.claude.json'))
      must(state.mcpServers === undefined, 'undo left a list of servers in .claude.json')
    },
  },
  {
    id: 'claude-code.headless',
    capability: 'headless',
    title: 'a headless run with our hooks ends by itself, and its session with it',
    async run(context) {
      const { stage, cwd } = await claudeStage(context)
      const model = context.model('headless')
      const env = claudeVariables(stage, model, 'headless')
      const done = await stage.run(stage.programs.get(RUNTIME), ['-p', 'hello'], {
        cwd,
        env,
        timeoutMs: HEADLESS_MS,
      })
      must(!done.isLate, `"claude -p hello" did not end within ${HEADLESS_MS} ms; said "${done.out.trim()}"`)
      must(done.out.trim() === 'done', `it said ${done.out}${done.err}`)
      const names = stage.captured(RUNTIME).map(({ payload }) => payload.hook_event_name)
      must(names.includes('SessionEnd'), `no SessionEnd came: ${names.join(' ')}`)
      must((await stage.roster()).length === 0, 'the session is still on the roster')
      return { runMs: done.ms }
    },
  },
  {
    id: 'claude-code.first',
    capability: 'presence',
    title:
      'the first session of all starts the daemon, and is on the roster by its first prompt at the latest',
    async run(context) {
      const { stage, cwd } = claudeHome(context)
      await stage.agentd('setup', RUNTIME, '--yes')
      const session = await ClaudeTerminal.open(stage, { actor: 'first', cwd, model: context.model('first') })
      await until(() => existsSync(stage.socket), DAEMON_MS, 'no daemon was started')
      const isThere = async () => (await stage.roster()).some((one) => one.session_id === session.id)
      await sleep(REGISTER_MS)
      const atStart = await isThere()
      await session.prompt('hello')
      must(await isThere(), 'the session is not on the roster')
      return { registered: atStart ? 'at its start' : 'at its first prompt' }
    },
  },
  {
    id: 'claude-code.activity',
    capability: 'activity',
    title: 'a session works, waits at its own prompt with what it asks, works on, and rests',
    async run(context) {
      const { stage, start } = await claudeStage(context)
      const session = await start('asking')
      const activity = async () =>
        (await stage.roster()).find((one) => one.session_id === session.id)?.activity
      const does = (state) =>
        until(
          async () => ((await activity())?.state === state ? activity() : undefined),
          TOLD_MS,
          `it never was ${state}`,
        )
      let atWork
      session.model.plan(async () => {
        atWork = (await activity())?.state
        return { tool: 'Bash', input: { command: 'sh -c "exit 0"', description: 'Do nothing' } }
      })
      await session.submit('do nothing')
      const asking = await does('waiting')
      must(atWork === 'working', `while its model was asked it was ${atWork}`)
      must(asking.reason === 'permission' && asking.text !== null, `it waits for ${JSON.stringify(asking)}`)
      session.child.stdin.write('\r')
      await session.event('Stop')
      await does('idle')
      return { text: asking.text }
    },
  },
  {
    id: 'claude-code.presence',
    capability: 'presence',
    title: 'two sessions know of each other from their first prompt on',
    async run(context) {
      const { stage, cwd, start } = await claudeStage(context)
      const first = await start('first')
      // A disk that answers late at a start is asked again at the first prompt (OP-10).
      await first.prompt('hello')
      const second = await start('second')
      await second.prompt('hello')
      must(
        second.model.wasShown(`Here: ${first.entry.name}, "${first.address}" in this worktree`),
        'the second was not told of the first',
      )
      const { worktree, branch, delivery, tool } = await stage.joined(first.id)
      must(
        worktree === cwd && branch === 'main' && tool === 'cc',
        `the roster has ${JSON.stringify(first.entry)}`,
      )
      return { delivery }
    },
  },
  {
    id: 'claude-code.edit-shown',
    capability: 'edits',
    title: 'an edit by one session is shown to the other before it edits the same file',
    async run(context) {
      const { second, file, told } = await withOneAtTheFile(await claudeStage(context))
      must(readFileSync(file, 'utf8') === 'A good project.\n', 'the edit was not made')
      second.model.plan(...readAndEdit(file, 'good', 'very good'))
      await second.prompt('improve it more')
      must(second.model.wasShown(`${told} in this worktree`), 'the second session was not told of the edit')
      const calls = second.events('PreToolUse').map(({ tool_name: name }) => name)
      must(calls.join(' ') === 'Read Edit', `the second session called ${calls.join(' ')}`)
    },
  },
  {
    id: 'claude-code.edit-denied',
    capability: 'edits-deny',
    title: 'an edit of a file somebody else is at is held back where the person has set that',
    async run(context) {
      const parts = await claudeStage(context)
      parts.stage.writeHome('.config/agentd/config.json', { hooks: { conflict: 'deny' } })
      const { second, file } = await withOneAtTheFile(parts)
      second.model.plan(...readAndEdit(file, 'good', 'bad'))
      await second.prompt('improve it more')
      must(readFileSync(file, 'utf8') === 'A good project.\n', 'the second edit was made all the same')
      must(second.model.wasShown('The person has set agentd to hold such edits back'), 'no reason was given')
    },
  },
  {
    id: 'claude-code.question',
    capability: 'question',
    title: 'a question of one session wakes another, which answers it',
    async run(context) {
      const { start } = await claudeStage(context)
      const [first, second] = [await start('first'), await start('second')]
      await second.prompt('hello')
      second.model.plan(answering('Port 4000 is free.'))
      first.model.plan({
        tool: 'agentd_ask',
        input: { text: 'Which port is free?', to: second.address, wait_s: 20 },
      })
      const { ms } = await timed(() => first.prompt('ask for a port'))
      must(second.model.wasShown('Which port is free?'), 'the second session never saw the question')
      must(first.model.wasShown('Port 4000 is free.'), 'the first session never got the answer')
      return { askedAndAnsweredMs: ms }
    },
  },
  {
    id: 'claude-code.wake-rewake',
    capability: 'wake',
    title: 'an idle session in a terminal wakes by the hook that waits',
    async run(context) {
      const { stage, start } = await claudeStage(context)
      const session = await start('idle')
      await session.prompt('hello')
      const woken = []
      // Twice, since the hook has to be armed again.
      for (const word of ['first', 'second']) {
        const question = `Are you there, for the ${word} time?`
        const stops = session.events('Stop').length
        // Until the runtime has armed it again, a wake goes by the session's inbox socket.
        await armed(stage)
        const { ms } = await timed(async () => {
          await stage.query(session.address, question)
          await session.model.heard(question)
        })
        await session.event('Stop', stops)
        await stage.quiet()
        woken.push(ms)
      }
      const { delivery } = await stage.joined(session.id)
      must(delivery.idle === 'async-rewake', `the roster says it wakes by ${delivery.idle}`)
      const shown = session.model.requests.at(-1).text
      must(times(shown, '<task-notification>') === 2, 'it went another way than by the hook that waits')
      must(shown.includes('not words of the user'), 'the message is not marked as a peer’s')
      return { driver: delivery.idle, wokenAfterMs: woken }
    },
  },
  {
    id: 'claude-code.wake-inbox',
    capability: 'wake',
    title: 'an idle session without a terminal wakes by its inbox socket',
    async run(context) {
      const { stage, cwd } = await claudeStage(context)
      removeWaitingHooks(stage)
      const session = await ClaudeStream.start(stage, {
        actor: 'stream',
        cwd,
        model: context.model('stream'),
      })
      await session.prompt('hello')
      must(
        session.entry.delivery.idle === 'claude-inbox',
        `it says ${JSON.stringify(session.entry.delivery)}`,
      )
      const { ms } = await timed(async () => {
        await stage.query(session.entry.address, 'Are you there?')
        await session.model.heard('Are you there?')
      })
      must(
        session.model.wasShown('Another Claude session sent a message'),
        'it went another way than by the socket',
      )
      await session.end()
      await stage.left(session.id)
      return { driver: 'claude-inbox', wokenAfterMs: ms }
    },
  },
  {
    id: 'claude-code.busy',
    capability: 'deliver-busy',
    title: 'a message that comes within a turn is shown after the next tool, and once',
    async run(context) {
      const { stage, cwd, start } = await claudeStage(context)
      const session = await start('busy')
      session.model.plan(async () => {
        await stage.say('agent_broadcast', { event_class: 'merged', text: 'Main has moved.' })
        return { tool: 'Bash', input: { command: `ls ${cwd}`, description: 'look' } }
      })
      await session.prompt('look around')
      const shown = times(session.model.requests.at(-1).text, 'Main has moved.')
      must(shown === 1, `the message was shown ${shown} times`)
    },
  },
  {
    id: 'claude-code.clear',
    capability: 'successor',
    title: 'after /clear the mail of the session goes on to its successor',
    async run(context) {
      const { stage, start } = await claudeStage(context)
      const session = await start('cleared')
      await session.prompt('hello')
      const { session_id: id, source } = await session.clear()
      must(source === 'clear' && id !== session.id, `the new start is ${source} of ${id}`)
      const entry = await stage.joined(id)
      await stage.left(session.id)
      const { ms } = await timed(async () => {
        await stage.query(entry.address, 'Do you still hear me?')
        await session.model.heard('Do you still hear me?')
      })
      return { driver: entry.delivery.idle, wokenAfterMs: ms }
    },
  },
  {
    id: 'claude-code.end',
    capability: 'session-end',
    title: 'the end of a session takes it off the roster and ends the processes that waited for it',
    async run(context) {
      const { stage, start } = await claudeStage(context)
      const session = await start('leaving')
      await session.prompt('hello')
      must(waiters(stage).length > 0, 'nobody waits to wake the session')
      await session.exit()
      await stage.left(session.id)
      const { ms } = await timed(() =>
        until(() => waiters(stage).length === 0, LEAVE_MS, `still there: ${JSON.stringify(waiters(stage))}`),
      )
      return { reason: session.events('SessionEnd').at(-1)?.reason, waitersGoneAfterMs: ms }
    },
  },
  {
    id: 'claude-code.plugin',
    capability: 'plugin',
    title: 'as a plugin it is valid, can be installed, and its hooks run',
    async run(context) {
      const { stage, cwd } = claudeHome(context)
      const folder = stage.file('market')
      await stage.agentd('setup', RUNTIME, '--yes', '--plugin', folder)
      await stage.startDaemon()
      const model = context.model('plugin')
      const env = claudeVariables(stage, model, 'plugin')
      const claude = async (...words) => {
        const done = await stage.run(stage.programs.get(RUNTIME), words, { cwd, env, timeoutMs: HEADLESS_MS })
        must(done.code === 0, `claude ${words.join(' ')}: ${done.out}${done.err}`)
        return done.out
      }
      const verdict = await claude('plugin', 'validate', folder)
      must(!/warning|error/i.test(verdict), `claude plugin validate: ${verdict}`)
      const { name, plugins } = JSON.parse(
        readFileSync(join(folder, '.claude-plugin/marketplace.json'), 'utf8'),
      )
      await claude('plugin', 'marketplace', 'add', folder)
      await claude('plugin', 'install', `${plugins[0].name}@${name}`)
      const session = await ClaudeTerminal.start(stage, { actor: 'plugin', cwd, model })
      session.model.plan({ tool: 'agentd_roster', input: {} })
      await session.prompt('hello')
      must(session.model.wasShown(session.address), 'the server of the plugin did not answer')
    },
  },
].map((scenario) => ({ ...scenario, runtime: RUNTIME, needs }))
