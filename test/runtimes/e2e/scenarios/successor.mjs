/**
 * The daemon that comes in the place of another one: of an upgrade in another place, and of one that hung (OP-26, OP-29).
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { must, mustBeAsBefore, mustWakeAsBefore, timed } from '../support/checks.mjs'
import { ClaudeStream, ClaudeTerminal } from '../support/claude.mjs'
import { claudeHome, claudeStage } from '../support/furnished.mjs'
import { ROOT } from '../support/stage.mjs'
import { until } from '../support/waiting.mjs'

const EARLIER = '0.0.9'

/** What Claude Code says of a hook that has gone wrong. */
const COMPLAINT = /hook (?:error|failed|timed out|returned)|blocking error|agentd/i

const LOOK = { tool: 'Bash', input: { command: 'ls', description: 'look' } }

/** How long something may take that depends on the load of the machine. */
const EVENT_MS = 45_000

/** Sessions in a terminal and without one: how they begin, and how many turns of theirs are over. */
const KINDS = {
  terminal: {
    begin: (stage, options) => ClaudeTerminal.start(stage, options),
    turns: (session) => session.events('Stop').length,
  },
  headless: {
    begin: (stage, options) => ClaudeStream.start(stage, options),
    turns: (session) => session.turns,
  },
}

async function health(stage) {
  return (await stage.ask('/v1/health')).body
}

/**
 * An earlier version in a place of its own: what npm packs, unpacked, with the packages that stand beside this build.
 *
 * @returns `{folder, run(...words)}`
 */
function installEarlier(stage) {
  const folder = stage.file('earlier')
  mkdirSync(folder)
  const packing = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder]
  const [{ filename }] = JSON.parse(execFileSync('npm', packing, { cwd: ROOT, encoding: 'utf8' }))
  execFileSync('tar', ['-xzf', join(folder, filename), '-C', folder])
  const place = join(folder, 'package')
  symlinkSync(join(ROOT, 'node_modules'), join(place, 'node_modules'))
  const manifest = join(place, 'package.json')
  const content = { ...JSON.parse(readFileSync(manifest, 'utf8')), version: EARLIER }
  writeFileSync(manifest, JSON.stringify(content))
  return {
    folder,
    async run(...words) {
      const done = await stage.run(process.execPath, [join(place, 'bin/agentd.cjs'), ...words])
      must(done.code === 0, `${words.join(' ')}: ${done.out}${done.err}`)
    },
  }
}

const upgrades = Object.entries(KINDS).map(([kind, { begin, turns }]) => ({
  id: `successor.claude-code.upgrade-${kind}`,
  title: `an idle session (${kind}) is woken, and served on, when the daemon of another place and version has taken over, and its own is removed (OP-26)`,
  async run(context) {
    const { stage, cwd } = claudeHome(context)
    const earlier = installEarlier(stage)
    await earlier.run('setup', 'claude-code', '--yes')
    await earlier.run('start')
    const before = await health(stage)
    must(before.version === EARLIER, `it is ${before.version} that runs`)
    const session = await begin(stage, { actor: 'idle', cwd, model: context.model('idle') })
    await session.prompt('hello')
    await stage.agentd('stop')
    rmSync(earlier.folder, { recursive: true })
    await stage.startDaemon()
    const after = await health(stage)
    must(after.version !== EARLIER && after.pid !== before.pid, `it is ${after.version} that runs`)
    const woken = await mustWakeAsBefore(stage, session)
    await until(() => turns(session) > 1, EVENT_MS, 'the turn of the wake did not end')
    await stage.quiet()
    const calls = { tool: 'agentd_roster', input: {} }
    session.model.plan(async () => {
      await stage.tell(session.entry.address, 'Main has moved.')
      return calls
    })
    await session.prompt('who is here?')
    must(session.model.wasShown('Main has moved.'), 'behind the wake it was told nothing')
    must(session.model.wasShown(`"you":"${session.entry.address}"`), 'its tools do not know it any more')
    return woken
  },
}))

const forced = {
  id: 'successor.claude-code.force',
  title:
    'a daemon that hangs is ended by force within a turn, whose hooks stay silent, and the next turn is served by another one (OP-29)',
  async run(context) {
    const { stage, start } = await claudeStage(context)
    const session = await start('forced')
    const { address, model } = session
    await session.prompt('hello')
    const { pid } = await health(stage)
    let ended
    model.plan(
      () => {
        process.kill(pid, 'SIGSTOP')
        return LOOK
      },
      async () => {
        ended = await timed(() => stage.agentd('stop', '--force'))
        await until(() => !existsSync(`/proc/${pid}`), EVENT_MS, 'the daemon is there still')
        return LOOK
      },
    )
    await session.prompt('look around')
    must(/was killed/.test(ended?.value), `it says ${ended?.value}`)
    await session.prompt('and without a daemon?')
    must(!COMPLAINT.test(session.screen()), `the person was told ${session.screen().slice(-1_500)}`)
    await stage.startDaemon()
    await mustBeAsBefore(stage, session)
    const { frame_id: frameId } = await stage.tell(address, 'Main has moved.')
    await session.prompt('go on')
    must(model.wasShown('Main has moved.'), 'the next turn was told nothing')
    await stage.becomes(frameId, session.id, 'seen')
    return { endedAfterMs: ended.ms, requests: model.requests.length }
  },
}

/** What all of them are about. */
export const scenarios = [...upgrades, forced].map((scenario) => ({
  ...scenario,
  runtime: 'claude-code',
  needs: ['claude-code'],
  capability: 'daemon',
}))
