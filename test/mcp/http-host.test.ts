/** The server over HTTP, as it is put before the conformance suite of the protocol's makers (`npm run e2e:runtimes`). */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { TOOLS } from '../../src/mcp/tools/tools.ts'
import { startTestDaemon } from '../support/daemon.ts'

const HOST = fileURLToPath(new URL('support/http-host.mjs', import.meta.url))

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'suite', version: '1' } },
}

async function startHost(env: NodeJS.ProcessEnv) {
  const child = spawn(process.execPath, [HOST], { env, stdio: ['pipe', 'pipe', 'inherit'] })
  const [said] = await once(child.stdout.setEncoding('utf8'), 'data')
  return {
    post: async (message: object): Promise<string> => {
      const headers = {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      }
      const answer = await fetch(String(said).trim(), {
        method: 'POST',
        headers,
        body: JSON.stringify(message),
      })
      return await answer.text()
    },
    async [Symbol.asyncDispose]() {
      child.stdin.end()
      await once(child, 'close')
    },
  }
}

test('shakes hands and lists every tool', async () => {
  await using daemon = await startTestDaemon()
  await using host = await startHost(daemon.env)

  const hands = await host.post(INITIALIZE)
  const listed = await host.post({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} })

  expect(hands).toContain('"name":"agentd"')
  for (const { definition } of TOOLS) expect(listed).toContain(`"name":"${definition.name}"`)
})
