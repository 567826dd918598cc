/**
 * The Copilot CLI, one prompt at a time, with a model of our own and offline by its own word for it.
 */

/** How long one prompt may take, in milliseconds. */
const PROMPT_MS = 120_000

/** Both spellings of an event may be registered; in capitals its payload says which it is. */
const EVENTS = [
  'SessionStart',
  'UserPromptSubmit',
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'Stop',
  'SessionEnd',
]

/** The home of somebody who has a hook of their own. */
export function furnishCopilot(stage, { isWatched = true } = {}) {
  const hook = { type: 'command', bash: stage.captureCommand('copilot').join(' '), timeoutSec: 30 }
  const hooks = Object.fromEntries(EVENTS.map((event) => [event, [hook]]))
  if (isWatched) stage.writeHome('.copilot/hooks/mine.json', { version: 1, hooks })
  stage.writeHome('.copilot/mcp-config.json', { mcpServers: {} })
}

function variables(stage, { actor, model }) {
  return stage.variables({
    COPILOT_OFFLINE: 'true',
    COPILOT_AUTO_UPDATE: 'false',
    COPILOT_PROVIDER_BASE_URL: `${model.url}/v1`,
    COPILOT_PROVIDER_API_KEY: 'nothing',
    COPILOT_MODEL: 'gpt-4.1',
    E2E_ACTOR: actor,
  })
}

/** One prompt, with leave to use every tool. @returns `{code, out, err, ms}` */
export function copilotPrompt(stage, { cwd, prompt, ...rest }) {
  const words = ['-p', prompt, '--allow-all-tools']
  const options = { cwd, timeoutMs: PROMPT_MS, env: variables(stage, rest) }
  return stage.run(stage.programs.get('copilot'), words, options)
}

/** One prompt that may be killed; see `Stage.start`. @param parts - with `resume`, the id of the session that goes on */
export function copilotSpawn(stage, { cwd, prompt, resume, ...rest }) {
  const again = resume === undefined ? [] : [`--resume=${resume}`]
  const words = [...again, '-p', prompt, '--allow-all-tools']
  return stage.start(stage.programs.get('copilot'), words, { cwd, env: variables(stage, rest) })
}

/** What its hooks were sent. */
export function copilotEvents(stage, actor) {
  return stage.captured('copilot', actor).map(({ payload }) => payload)
}
