/** P-07: the hook line without Node (docs/http.md §8) against `redis-cli publish`, both as whole processes. */
import { startAgentd } from '../support/agentd.mjs'
import { ratioLine, stopAll } from '../support/contest.mjs'
import { hasCommand } from '../support/machine.mjs'
import { hasRedis, startRedisPubSub } from '../support/redis.mjs'
import { timeProcesses } from '../support/whole-process.mjs'

const TEXT = 'editing src/auth.ts'

export const row = {
  id: 'P-07',
  async run(context) {
    const base = { what: 'curl hook line, whole process', unit: 'ms', target: { atMost: 2.5 } }
    if (!hasCommand('curl'))
      return [{ ...base, figure: null, peer: null, held: null, note: 'curl is not installed' }]
    const servers = []
    try {
      const daemon = await startAgentd()
      servers.push(daemon)
      const url = 'http://agentd/v1/verbs/agent_advise'
      const curl = [
        'curl',
        '-sf',
        '--unix-socket',
        daemon.socketPath,
        url,
        '-H',
        'content-type: text/plain',
        '-d',
        TEXT,
      ]
      const commands = [{ name: 'curl', argv: curl, env: daemon.env }]
      if (hasRedis() && hasCommand('redis-cli')) {
        const redis = await startRedisPubSub()
        servers.push(redis)
        const argv = ['redis-cli', '-s', redis.socketPath, 'publish', 'bench', TEXT]
        commands.push({ name: 'redis-cli publish', argv, env: daemon.env })
      }
      const times = await timeProcesses(context, commands)
      const values = times.get('redis-cli publish')
      const peer = values && { name: 'redis-cli publish', values }
      return [
        ratioLine({
          ...base,
          own: times.get('curl'),
          peer,
          missing: 'redis-server is not installed: ratio not taken',
        }),
      ]
    } finally {
      await stopAll(servers)
    }
  },
}
