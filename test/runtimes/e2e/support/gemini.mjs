/**
 * The Gemini CLI, one prompt at a time.
 */

/** How long one prompt may take, in milliseconds. */
const PROMPT_MS = 60_000

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
export function furnishGemini(stage) {
  const hook = {
    name: 'mine',
    type: 'command',
    command: stage.captureCommand('gemini').join(' '),
    timeout: 5_000,
  }
  stage.writeHome('.gemini/settings.json', {
    security: { auth: { selectedType: 'gemini-api-key' } },
    model: { name: 'gemini-2.5-pro' },
    general: { enableAutoUpdate: false },
    privacy: { usageStatisticsEnabled: false },
    hooks: Object.fromEntries(EVENTS.map((event) => [event, [{ hooks: [hook] }]])),
  })
}

/** Any words. @returns `{code, out, err, ms}` */
export function geminiCommand(stage, { cwd, actor, model, args, isTrusted = true, timeoutMs = PROMPT_MS }) {
  return stage.run(process.execPath, [stage.programs.get('gemini'), ...args], {
    cwd,
    timeoutMs,
    env: stage.variables({
      GEMINI_API_KEY: 'nothing',
      GOOGLE_GEMINI_BASE_URL: model.url,
      GEMINI_SANDBOX: 'false',
      GEMINI_TELEMETRY_ENABLED: 'false',
      E2E_ACTOR: actor,
      ...(isTrusted && { GEMINI_CLI_TRUST_WORKSPACE: 'true' }),
    }),
  })
}

/** One prompt, with leave to use every tool. @returns `{code, out, err, ms}` */
export function geminiPrompt(stage, { prompt, ...rest }) {
  return geminiCommand(stage, { ...rest, args: ['-p', prompt, '--yolo'] })
}

/** What its hooks were sent. */
export function geminiEvents(stage, actor) {
  return stage.captured('gemini', actor).map(({ payload }) => payload)
}
