/** The plugin as it stands in the repository: the published runtimes take it from there. */
import { must } from '../support/checks.mjs'
import { claudeVariables, furnishClaude } from '../support/claude.mjs'
import { furnishCodex } from '../support/codex.mjs'
import { ROOT } from '../support/stage.mjs'

const COMMAND_MS = 60_000

/** @returns what it printed */
async function runWell(stage, program, words, options) {
  const { code, out, err } = await stage.run(stage.programs.get(program), words, {
    ...options,
    timeoutMs: COMMAND_MS,
  })
  must(code === 0, `${program} ${words.join(' ')}: ${out}${err}`)
  return out
}

export const scenarios = [
  {
    id: 'published.claude-code',
    runtime: 'claude-code',
    capability: 'plugin',
    title: 'the repository is a valid marketplace, and its plugin a valid one that can be installed',
    needs: ['claude-code'],
    async run(context) {
      const stage = context.stage()
      const cwd = stage.repository('published')
      furnishClaude(stage, [cwd])
      const env = claudeVariables(stage, context.model('published'), 'published')
      const claude = (...words) => runWell(stage, 'claude-code', words, { cwd, env })
      for (const folder of [ROOT, `${ROOT}/plugin`]) {
        const verdict = await claude('plugin', 'validate', folder)
        // What the vendor's own catalogue would ask for besides, such as an icon, is told as a warning of that.
        must(/Validation passed/.test(verdict), `claude plugin validate ${folder}: ${verdict}`)
      }
      await claude('plugin', 'marketplace', 'add', ROOT)
      await claude('plugin', 'install', 'agentd@agentd')
      const listed = await claude('plugin', 'list')
      must(/agentd@agentd[\s\S]*enabled/.test(listed), `claude plugin list: ${listed}`)
    },
  },
  {
    id: 'published.codex',
    runtime: 'codex',
    capability: 'plugin',
    title: 'the same marketplace is one to Codex, which lists the server of the plugin',
    needs: ['codex'],
    async run(context) {
      const stage = context.stage()
      const cwd = stage.repository('published')
      furnishCodex(stage, context.model('published'), [cwd])
      const codex = (...words) => runWell(stage, 'codex', words, { cwd })
      await codex('plugin', 'marketplace', 'add', ROOT)
      await codex('plugin', 'add', 'agentd@agentd')
      const listed = await codex('plugin', 'list')
      must(/agentd@agentd\s+installed, enabled/.test(listed), `codex plugin list: ${listed}`)
      const servers = await codex('mcp', 'list')
      must(/agentd\s+agentd\s+mcp/.test(servers), `codex mcp list: ${servers}`)
    },
  },
]
