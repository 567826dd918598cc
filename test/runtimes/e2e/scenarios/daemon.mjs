/** Lines and daemons that come, go, hang and are not there (OP-02, OP-08, OP-26, OP-27, OP-29). */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { must, mustWakeAsBefore, timed, times } from '../support/checks.mjs'
import { ClaudeStream, claudeSpawn, readAndEdit } from '../support/claude.mjs'
import { claudeHome, claudeStage, setUp, withOneAtTheFile } from '../support/furnished.mjs'
import { until } from '../support/waiting.mjs'

/** Calls of one turn while the daemon hangs; each runs two hooks at the least. */
const CALLS = 8

/** Messages that wait already. */
const BACKLOG = 60

/** Hooks of a turn that may cost their second. */
const MAX_SECONDS = 2

/** How long after a kill a session may still stand on the roster, in milliseconds. */
const AT_ONCE_MS = 3_000

const GONE_MS = 20_000

/** What a program that could not be asked in time says. */
const TIMED_OUT = '28'

async function daemonPid(stage) {
  return (await stage.ask('/v1/health')).body.pid
}

/** Ways a daemon ends, and another one comes. */
const ENDS = {
  stop: async (stage) => {
    await stage.agentd('stop')
    await stage.startDaemon()
  },
  kill: async (stage) => {
    const pid = await daemonPid(stage)
    process.kill(pid, 'SIGKILL')
    await until(() => !existsSync(`/proc/${pid}`), GONE_MS, 'the daemon did not end')
    await stage.startDaemon()
  },
}

/** Sessions in a terminal and without one. */
const KINDS = {
  terminal: async ({ start }) => {
    const session = await start('idle')
    await session.prompt('hello')
    return session
  },
  headless: async ({ stage, cwd, context }) => {
    const session = await ClaudeStream.start(stage, { actor: 'idle', cwd, model: context.model('idle') })
    await session.prompt('hello')
    return session
  },
}

const restarts = Object.entries(ENDS).flatMap(([end, restart]) =>
  Object.entries(KINDS).map(([kind, begin]) => ({
    id: `daemon.claude-code.${end}-${kind}`,
    title: `after a daemon that went by ${end} an idle session (${kind}) can be woken, and keeps its name (OP-26)`,
    async run(context) {
      const { stage, cwd, start } = await claudeStage(context)
      const session = await begin({ stage, cwd, start, context })
      await restart(stage)
      return mustWakeAsBefore(stage, session)
    },
  })),
)

/** A `curl` that writes down how it ended, and is found first. */
function watchCurl(stage) {
  const log = stage.file('curl.log')
  const path = stage.file('bin', 'curl')
  writeFileSync(
    path,
    `#!/bin/sh\n/usr/bin/curl "$@"\ncode=$?\ncase "$*" in *v1/hooks*) echo $code >>${log};; esac\nexit $code\n`,
  )
  chmodSync(path, 0o755)
  return () => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : [])
}

/** A folder with every program but one. @returns its path */
function pathWithout(stage, name) {
  const folder = stage.file('path')
  mkdirSync(folder)
  for (const from of ['/usr/local/bin', '/usr/bin', '/bin'])
    for (const one of existsSync(from) ? readdirSync(from) : [])
      if (one !== name && !existsSync(join(folder, one)))
        try {
          symlinkSync(join(from, one), join(folder, one))
        } catch {
          // A link that leads nowhere stands there already.
        }
  return folder
}

/** What the daemon itself has beside its socket: who holds it, and where it is to be asked. */
const OF_DAEMON = /^agentd\.(json|sock.*)$/

const others = [
  {
    id: 'daemon.claude-code.lines',
    title: 'a session starts by Node, and every other line is a curl with absolute paths (OP-02)',
    async run(context) {
      const { stage } = claudeHome(context)
      await stage.agentd('setup', 'claude-code', '--yes')
      const { hooks } = JSON.parse(stage.readHome('.claude/settings.json'))
      const lines = Object.entries(hooks).flatMap(([event, groups]) =>
        groups.flatMap((group) => group.hooks.map(({ command }) => [event, command])),
      )
      const own = lines.filter(([, command]) => /agentd-(?:hook|wait) |agentd\.cjs/.test(command))
      const byNode = own.filter(([, command]) => /agentd\.cjs/.test(command)).map(([event]) => event)
      must(byNode.join(' ') === 'SessionStart', `by Node go ${byNode.join(' ')}`)
      const curls = own.filter(([, command]) => !/agentd\.cjs/.test(command))
      must(curls.length >= 9, `there are ${curls.length} lines of curl`)
      must(
        curls.every(([, command]) =>
          / agentd-(?:hook|wait) claude-code \/\S*\/curl \/\S+\.sock$/.test(command),
        ),
        'a line of curl has no absolute paths',
      )
      return { lines: own.length }
    },
  },
  {
    id: 'daemon.claude-code.no-curl',
    title:
      'without curl on PATH every line is by Node, and a session hears and announces all the same (OP-02)',
    async run(context) {
      const { stage, cwd, start } = claudeHome(context)
      stage.extra.PATH = [stage.file('bin'), pathWithout(stage, 'curl')].join(':')
      symlinkSync(process.execPath, stage.file('bin', 'node'))
      await setUp(stage, 'claude-code')
      const text = stage.readHome('.claude/settings.json')
      must(!text.includes('agentd-hook') && text.includes('agentd.cjs'), 'there is a line of curl')
      const session = await start('alone')
      session.model.plan(async () => {
        await stage.tell(session.address, 'Main has moved.')
        return { tool: 'Write', input: { file_path: join(cwd, 'NEW.md'), content: 'New.\n' } }
      })
      await session.prompt('write')
      must(session.model.wasShown('Main has moved.'), 'the message was not shown')
      await stage.announced(session.id, 'NEW.md')
    },
  },
  {
    id: 'daemon.claude-code.one-line',
    title:
      'with hooks and tools a session is one line of the roster, also when the daemon went under it (OP-08)',
    async run(context) {
      const { stage, start } = await claudeStage(context)
      const session = await start('one')
      const rosters = []
      const calls = { tool: 'agentd_roster', input: {} }
      session.model.plan(
        calls,
        async () => {
          rosters.push(await stage.roster())
          await ENDS.kill(stage)
          return calls
        },
        async () => {
          rosters.push(await stage.roster())
          return { text: 'done' }
        },
      )
      await session.prompt('who is here?')
      must(rosters.length === 2, `the model was asked ${rosters.length + 1} times`)
      for (const roster of rosters)
        must(
          roster.length === 1 && roster[0].address === session.address,
          `the roster was ${JSON.stringify(roster)}`,
        )
      const last = session.model.requests.at(-1).text
      const asked = times(last, `"you":"${session.address}"`)
      must(asked >= 2, `of two calls ${asked} were answered as the session: ${last.slice(-600)}`)
    },
  },
  {
    id: 'daemon.claude-code.files',
    title: 'beside the socket stands nothing of what hooks remember (OP-05)',
    async run(context) {
      const { stage, start } = await claudeStage(context)
      const session = await start('one')
      await session.prompt('hello')
      const found = readdirSync(stage.file('run', 'agentd')).filter((name) => !OF_DAEMON.test(name))
      must(found.length === 0, `there are ${found.join(', ')}`)
      return { files: readdirSync(stage.file('run', 'agentd')) }
    },
  },
  {
    id: 'daemon.claude-code.backlog',
    title: 'what is not urgent, however much of it waits, delays no wake (OP-26)',
    async run(context) {
      const { stage, start } = await claudeStage(context)
      const session = await start('idle')
      await session.prompt('hello')
      for (let sent = 0; sent < BACKLOG; sent += 1) await stage.tell(session.address, `Not urgent, ${sent}.`)
      must(session.model.requests.length === 1, 'what is not urgent has begun a turn')
      const { ms } = await timed(async () => {
        await stage.query(session.address, 'Are you there?')
        await until(() => session.model.requests.length > 1, GONE_MS, 'the session was not woken')
      })
      // It may take more than one context until its turn comes.
      await session.event('Stop', 1)
      await session.prompt('and what else?')
      await session.model.heard('Are you there?')
      return { wokenAfterMs: ms }
    },
  },
  {
    id: 'daemon.claude-code.doctor',
    title:
      'the doctor wakes an idle session for its probe when it is asked to, and says that it was read (OP-31)',
    async run(context) {
      const { stage, start } = await claudeStage(context)
      const session = await start('idle')
      await session.prompt('hello')
      await stage.dismissObserver()
      const said = await stage
        .agentd('doctor', 'claude-code', '--live', '--wake', '--timeout', '30s')
        .catch((error) => error.message)
      must(session.model.requests.length > 1, `nobody was woken: ${said}`)
      const line = said.split('\n').find((one) => one.includes(session.entry.name) && /read|seen/.test(one))
      must(line !== undefined && !/not read/.test(line), `it says ${said}`)
      return { says: line.trim() }
    },
  },
  {
    id: 'daemon.claude-code.dead',
    title: 'a runtime that is killed is off the roster at once, and its edits deny nothing (OP-27)',
    async run(context) {
      const parts = await claudeStage(context)
      const { stage } = parts
      stage.writeHome('.config/agentd/config.json', { hooks: { conflict: 'deny' } })
      const { first, second, file } = await withOneAtTheFile(parts)
      first.kill()
      const { ms } = await timed(() => stage.left(first.id, AT_ONCE_MS))
      second.model.plan(...readAndEdit(file, 'good', 'better'))
      await second.prompt('improve it more')
      must(
        readFileSync(file, 'utf8') === 'A better project.\n',
        'the edit was denied for the sake of a dead session',
      )
      return { goneAfterMs: ms }
    },
  },
  {
    id: 'daemon.claude-code.hangs',
    title: 'a daemon that hangs costs at most two hooks of a turn their second (OP-29)',
    async run(context) {
      const { stage, cwd } = claudeHome(context)
      const ended = watchCurl(stage)
      await setUp(stage, 'claude-code')
      const model = context.model('headless')
      const pid = await daemonPid(stage)
      const file = join(cwd, 'README.md')
      model.plan(
        async () => {
          process.kill(pid, 'SIGSTOP')
          return { tool: 'Read', input: { file_path: file } }
        },
        ...Array.from({ length: CALLS }, () => ({ tool: 'Read', input: { file_path: file } })),
      )
      const run = claudeSpawn(stage, { cwd, model, actor: 'headless', words: ['look around'] })
      const said = await run.ended
      const late = ended().filter((code) => code === TIMED_OUT).length
      process.kill(pid, 'SIGCONT')
      must(model.requests.length === CALLS + 2, `the model was asked ${model.requests.length} times: ${said}`)
      must(late >= 1 && late <= MAX_SECONDS, `${late} hooks waited their second`)
      must(!/hook/i.test(said), `it said ${said}`)
      return { hooksThatWaited: late }
    },
  },
]

/** What all of them are about. */
export const scenarios = [...restarts, ...others].map((scenario) => ({
  ...scenario,
  runtime: 'claude-code',
  needs: ['claude-code'],
  capability: 'daemon',
}))
