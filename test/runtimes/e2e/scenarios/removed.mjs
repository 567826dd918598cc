/** Hook lines whose package and `curl` were removed, in the runtimes that still run them: nobody notices. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { must } from '../support/checks.mjs'
import { claudeVariables, furnishClaude } from '../support/claude.mjs'
import { PATCHING_MODEL, codexExec, furnishCodex } from '../support/codex.mjs'
import { copilotPrompt, furnishCopilot } from '../support/copilot.mjs'
import { furnishGemini, geminiPrompt } from '../support/gemini.mjs'
import { AGENTD } from '../support/stage.mjs'

/** A place where no package is. */
const NOWHERE = '/nowhere/agentd.cjs'

/** How a runtime, or the shell under it, says that a hook went wrong. */
const COMPLAINT = /nowhere|ENOENT|EPIPE|broken pipe|cannot find module|hook[^\n]*(?:fail|error)/i

const HEADLESS_MS = 60_000

const PATCH = `*** Begin Patch
*** Update File: README.md
@@
-A project.
+A good project.
*** End Patch`

/** Who runs what, and how one turn with an edit in it goes. */
const RUNTIMES = {
  'claude-code': {
    file: '.claude/settings.json',
    furnish: (stage, cwd) => furnishClaude(stage, [cwd]),
    plan: (cwd) => ({
      tool: 'Write',
      input: { file_path: join(cwd, 'NEW.md'), content: 'A good project.\n' },
    }),
    turn: (stage, { cwd, model, actor }) =>
      stage.run(
        stage.programs.get('claude-code'),
        ['-p', 'improve the readme', '--output-format', 'stream-json', '--verbose', '--include-hook-events'],
        { cwd, env: claudeVariables(stage, model, actor), timeoutMs: HEADLESS_MS },
      ),
  },
  codex: {
    file: '.codex/hooks.json',
    furnish: (stage, cwd, model) => furnishCodex(stage, model, [cwd], { name: PATCHING_MODEL }),
    plan: () => ({ tool: 'apply_patch', input: PATCH }),
    turn: (stage, { cwd, actor }) => codexExec(stage, { cwd, actor, prompt: 'improve the readme' }),
  },
  gemini: {
    file: '.gemini/settings.json',
    furnish: furnishGemini,
    plan: (cwd) => ({
      tool: 'write_file',
      input: { file_path: join(cwd, 'README.md'), content: 'A good project.\n' },
    }),
    turn: (stage, call) => geminiPrompt(stage, { ...call, prompt: 'improve the readme' }),
  },
  copilot: {
    file: '.copilot/hooks/agentd.json',
    furnish: furnishCopilot,
    plan: (cwd) => ({
      tool: 'edit',
      input: { path: join(cwd, 'README.md'), old_str: 'A project.', new_str: 'A good project.' },
    }),
    turn: (stage, call) => copilotPrompt(stage, { ...call, prompt: 'improve the readme' }),
  },
}

export const scenarios = Object.entries(RUNTIMES).map(([runtime, { file, furnish, plan, turn }]) => ({
  id: `${runtime}.removed`,
  runtime,
  needs: [runtime],
  capability: 'setup',
  title: 'with the package and curl gone a turn goes as without hooks, and nothing is said of it',
  async run(context) {
    const stage = context.stage()
    const cwd = stage.repository()
    const model = context.model(runtime)
    furnish(stage, cwd, model)
    await stage.agentd('setup', runtime, '--hooks-only', '--yes')
    const text = stage.readHome(file)
    must(text.includes(AGENTD), `no line of ${file} names ${AGENTD}`)
    must(/ agentd-hook [a-z-]+ \S+\/curl /.test(text), `no line of ${file} is by curl`)
    const removed = text.replaceAll(AGENTD, NOWHERE).replaceAll(/ \S+\/curl /g, ' /nowhere/curl ')
    stage.writeHome(file, removed)
    model.plan(plan(cwd))
    const done = await turn(stage, { cwd, model, actor: runtime })
    must(done.code === 0, `it ended with ${done.code}: ${done.out}${done.err}`)
    const complaint = COMPLAINT.exec(done.out + done.err)
    must(
      complaint === null,
      `it said "${(done.out + done.err).slice(Math.max(0, complaint?.index - 200)).slice(0, 600)}"`,
    )
    const edited = readFileSync(join(cwd, runtime === 'claude-code' ? 'NEW.md' : 'README.md'), 'utf8')
    must(edited === 'A good project.\n', 'the edit was not made')
    must(stage.captured(runtime).length > 0, 'the hook of somebody else did not run')
  },
}))
