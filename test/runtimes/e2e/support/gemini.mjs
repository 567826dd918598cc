/**
 * The Gemini CLI, one prompt at a time.
 */

/** How long one prompt may take, in milliseconds. */
const PROMPT_MS = 120_000

const EVENTS = [
  'SessionStart',
  'BeforeAgent',
  'BeforeTool',
  'AfterTool',
  'AfterAgent',
  'PreCompress',
  'SessionEnd',
]

/** The home of somebody who has used it before, with a hook of their own. */
export function furnishGemini(stage, { isWatched = true } = {}) {
  const hook = {
    name: 'mine',
    type: 'command',
    command: stage.captureCommand('gemini').join(' '),
    timeout: 30_000,
  }
  stage.writeHome('.gemini/settings.json', {
    security: { auth: { selectedType: 'gemini-api-key' } },
    model: { name: 'gemini-2.5-pro' },
    general: { enableAutoUpdate: false },
    privacy: { usageStatisticsEnabled: false },
    ...(isWatched && { hooks: Object.fromEntries(EVENTS.map((event) => [event, [{ hooks: [hook] }]])) }),
  })
}

function variables(stage, { actor, model, isTrusted = true }) {
  return stage.variables({
    GEMINI_API_KEY: 'nothing',
    GOOGLE_GEMINI_BASE_URL: model.url,
    GEMINI_SANDBOX: 'false',
    GEMINI_TELEMETRY_ENABLED: 'false',
    // It starts itself anew with more memory otherwise, and the one that is killed is not the one that works.
    GEMINI_CLI_NO_RELAUNCH: 'true',
    E2E_ACTOR: actor,
    ...(isTrusted && { GEMINI_CLI_TRUST_WORKSPACE: 'true' }),
  })
}

/** Any words. @returns `{code, out, err, ms}` */
export function geminiCommand(stage, { cwd, args, timeoutMs = PROMPT_MS, ...rest }) {
  const env = variables(stage, rest)
  return stage.run(process.execPath, [stage.programs.get('gemini'), ...args], { cwd, timeoutMs, env })
}

/** One prompt that may be killed; see `Stage.start`. @param parts - with `resume`, the id of the session that goes on */
export function geminiSpawn(stage, { cwd, prompt, resume, ...rest }) {
  const again = resume === undefined ? [] : ['--resume', resume]
  const words = [stage.programs.get('gemini'), ...again, '-p', prompt, '--yolo']
  return stage.start(process.execPath, words, { cwd, env: variables(stage, rest) })
}

/** One prompt, with leave to use every tool. @returns `{code, out, err, ms}` */
export function geminiPrompt(stage, { prompt, ...rest }) {
  return geminiCommand(stage, { ...rest, args: ['-p', prompt, '--yolo'] })
}

/** What its hooks were sent. */
export function geminiEvents(stage, actor) {
  return stage.captured('gemini', actor).map(({ payload }) => payload)
}
