/** The server of the tools, under the Inspector and the conformance suite of the protocol's own makers. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Skipped, must } from '../support/checks.mjs'
import { endGroup } from '../support/cleanup.mjs'
import { AGENTD, ROOT } from '../support/stage.mjs'
import { until } from '../support/waiting.mjs'

const RUNTIME = 'mcp'

/** How long the Inspector, and one scenario of the suite may take, in milliseconds. */
const INSPECTOR_MS = 30_000
const SUITE_MS = 45_000

/** Of the suite's scenarios those that need none of the tools of its own example server. */
const CONFORMANCE = ['server-initialize', 'tools-list', 'ping']

/** The suite does not run on anything older. */
const SUITE_NODE = 22

async function inspect(stage, words) {
  const server = [process.execPath, AGENTD, 'mcp']
  const done = await stage.run(
    process.execPath,
    [stage.programs.get('inspector'), '--cli', ...server, ...words],
    {
      timeoutMs: INSPECTOR_MS,
    },
  )
  must(done.code === 0, `the Inspector ended with ${done.code}: ${done.out}${done.err}`)
  return JSON.parse(done.out)
}

/** The Node to run the suite with. */
function nodeFor(stage) {
  return Number(process.versions.node.split('.')[0]) >= SUITE_NODE
    ? process.execPath
    : stage.programs.get('node22')
}

export const scenarios = [
  {
    id: 'mcp.inspector',
    capability: 'mcp',
    needs: ['inspector'],
    title: 'the Inspector lists the tools and calls one',
    async run(context) {
      const stage = context.stage()
      const { tools } = await inspect(stage, ['--method', 'tools/list'])
      must(tools.length > 0 && tools.length <= 6, `there are ${tools.length} tools`)
      must(
        tools.every(({ outputSchema, annotations }) => outputSchema && annotations),
        'a tool has no output schema, or no annotations',
      )
      const call = ['--method', 'tools/call', '--tool-name', 'agentd_roster', '--tool-arg', 'as=inspector']
      const { structuredContent, content, isError } = await inspect(stage, call)
      must(isError !== true, content[0].text)
      must(JSON.stringify(structuredContent) === content[0].text, 'text and structured content differ')
      return { tools: tools.map(({ name }) => name) }
    },
  },
  ...CONFORMANCE.map((name) => ({
    id: `mcp.conformance.${name}`,
    capability: 'mcp',
    needs: ['conformance', 'node22'],
    title: `the conformance suite has nothing against it: ${name}`,
    async run(context) {
      const stage = context.stage()
      const host = join(ROOT, 'test/mcp/support/http-host.mjs')
      if (!existsSync(host)) throw new Skipped('there is no HTTP host for the suite in this tree')
      await stage.startDaemon()
      const child = stage.spawn(process.execPath, [host], { cwd: stage.path, env: stage.variables() })
      let said = ''
      const keep = (chunk) => {
        said += chunk
      }
      child.stdout.setEncoding('utf8').on('data', keep)
      child.stderr.setEncoding('utf8').on('data', keep)
      const url = await until(
        () => /http:\S+/.exec(said)?.[0],
        INSPECTOR_MS,
        `the HTTP host does not start: ${said}`,
      )
      const words = [stage.programs.get('conformance'), 'server', '--url', url, '--scenario', name]
      const done = await stage.run(nodeFor(stage), words, { timeoutMs: SUITE_MS })
      endGroup(child)
      must(done.code === 0, `the suite ended with ${done.code}: ${`${done.out}${done.err}`.slice(-2_000)}`)
      return { said: done.out.trim().split('\n').at(-1).slice(0, 200) }
    },
  })),
].map((scenario) => ({ ...scenario, runtime: RUNTIME }))
