/** Stages on which runtimes are at home, agentd is set up for them, and a daemon runs. */
import { join } from 'node:path'
import { ClaudeTerminal, furnishClaude, readAndEdit } from './claude.mjs'
import { furnishCodex } from './codex.mjs'

/**
 * A stage with one repository.
 *
 * @param runtimes - what agentd is set up for; the model is called as the first of them
 * @param furnish - `(stage, cwd, model)`, what the home has before that
 * @returns `{stage, cwd, model}`
 */
export async function furnishedStage(context, runtimes, furnish) {
  const stage = context.stage()
  const cwd = stage.repository()
  const model = context.model(runtimes[0])
  furnish(stage, cwd, model)
  await setUp(stage, ...runtimes)
  return { stage, cwd, model }
}

/** Sets agentd up for these runtimes, and starts the daemon. */
export async function setUp(stage, ...runtimes) {
  await stage.agentd('setup', ...runtimes, '--yes')
  await stage.startDaemon()
}

/** Claude Code with nothing of ours. @returns `{stage, cwd, start(actor, args)}`; each session has a model of its own */
export function claudeHome(context) {
  const stage = context.stage()
  const cwd = stage.repository()
  furnishClaude(stage, [cwd])
  const start = (actor, args = []) =>
    ClaudeTerminal.start(stage, { actor, cwd, model: context.model(actor), args })
  return { stage, cwd, start }
}

/** Claude Code with hooks and tools. @returns as `claudeHome` */
export async function claudeStage(context) {
  const home = claudeHome(context)
  await setUp(home.stage, 'claude-code')
  return home
}

/** Codex with hooks and tools. @returns `{stage, cwd, model}` */
export async function codexStage(context) {
  return furnishedStage(context, ['codex'], (stage, cwd, model) => furnishCodex(stage, model, [cwd]))
}

/**
 * Two sessions of `claudeStage`, the first of which has edited the readme.
 *
 * @returns `{first, second, file, told}`; `told` is how the other one reads of it
 */
export async function withOneAtTheFile({ stage, cwd, start }) {
  const [first, second] = [await start('first'), await start('second')]
  const file = join(cwd, 'README.md')
  first.model.plan(...readAndEdit(file, 'A project.', 'A good project.'))
  await first.prompt('improve the readme')
  await stage.announced(first.id, 'README.md')
  return { first, second, file, told: `"${first.address}" announced work on README.md` }
}
