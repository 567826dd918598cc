/**
 * Who runs the hub's server, and what is left when that is killed (FED-12).
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { processStartTime } from '../../../../src/host/process/processes.ts'
import { hasProgram } from '../../../support/needs.ts'
import { atTerminal } from '../../person.ts'
import { agentd, createUser, startAgentd, words, type Env } from '../../support.ts'
import { enter, makeHub, readJoin, startHub } from './hub-support.ts'

const LONG = { timeout: 120_000 }

/** Each look is a process of its own. */
const SOON = { timeout: 30_000, interval: 200 }

const Listed = z.object({ pid: z.int().nullable() })

async function pidOf(env: Env): Promise<number | null> {
  return Listed.parse(JSON.parse((await agentd(env, words('link hub list --json'))).stdout)).pid
}

async function listed(env: Env): Promise<string> {
  const { stdout, stderr } = await agentd(env, words('link hub list'))
  return stdout + stderr
}

const hasAll = (['script', 'openssl', 'nats-server'] as const).every((name) => hasProgram(name))

describe.runIf(hasAll)('the server of a hub', LONG, () => {
  test('is left alone by a run that was killed, which is told; the next run ends it and takes its place', async () => {
    await using user = await createUser()
    await makeHub(user.env)
    const killed = startAgentd(user.env, words('link hub run'))
    await killed.untilSaid(/serves at/)
    const before = await pidOf(user.env)

    // Its server holds what it wrote to open, so its end is not that of its output.
    killed.signal('SIGKILL')
    await vi.waitUntil(async () => (await listed(user.env)).includes('What started it was killed'), SOON)
    const looked = await agentd(user.env, words('doctor'))
    await using _ = await startHub(user.env)
    const after = await pidOf(user.env)

    expect(before).toBeGreaterThan(1)
    expect(looked.stdout).toContain(`What started the server of the hub (pid ${before}) was killed`)
    await killed.ended
    expect(after).toBeGreaterThan(1)
    expect(after).not.toBe(before)
    // One that nobody has waited for yet has ended all the same.
    expect(processStartTime(before ?? 0)).toBeUndefined()
    expect(await listed(user.env)).not.toContain('What started it was killed')
  })

  test('knows who has linked and when it heard of them last, by what their own keys have signed (FED-51)', async () => {
    await using user = await createUser()
    await makeHub(user.env)
    await using stopped = await startHub(user.env)
    const files = ['laptop', 'devbox'].map((name) => user.dir.file('config', 'agentd', 'hub', `${name}.link`))
    await atTerminal(user.env, words('link hub invite devbox'))
    const before = await listed(user.env)

    await agentd(user.env, ['link', 'add', 'home', files[0] ?? '', '--allow', 'all'])
    // Whoever has the credential of a machine and not its key is not that machine.
    const stranger = await enter(readJoin(files[1] ?? ''))
    await stranger.request('$KV.agentd_P_alice.node.devbox', '{}')
    await stranger.close()
    await vi.waitUntil(async () => /laptop +linked/.test(await listed(user.env)), SOON)
    const { stdout } = await agentd(user.env, words('link hub list --json'))
    const after = await listed(user.env)
    stopped.signal('SIGTERM')
    await stopped.ended

    expect(before).toMatch(/laptop +invited/)
    expect(after).toMatch(/laptop +linked +(?:just now|\d+s ago)/)
    expect(after).toMatch(/devbox +invited/)
    expect(JSON.parse(stdout).nodes).toEqual([
      { node: 'devbox', state: 'invited', until: null },
      { node: 'laptop', state: 'invited', heard_at: expect.stringMatching(/^\d{4}-.*Z$/), until: null },
    ])
    expect(await listed(user.env)).toContain(
      'Which of them have linked is not known: the hub is not running here.',
    )
  })

  test('that a person has started with its configuration is left to them', async () => {
    await using user = await createUser()
    await makeHub(user.env)
    const conf = user.dir.file('config', 'agentd', 'hub', 'nats-server.conf')
    mkdirSync(user.dir.file('state', 'hub'), { recursive: true, mode: 0o700 })
    const PATH = `${process.env['PATH']}:/usr/sbin`
    const server = spawn('nats-server', ['-c', conf], { stdio: 'ignore', env: { ...process.env, PATH } })
    try {
      await vi.waitUntil(async () => (await pidOf(user.env)) !== null, SOON)

      const { code, stderr } = await agentd(user.env, words('link hub run'))

      expect({ code, stderr }).toEqual({
        code: 78,
        stderr: expect.stringContaining('it was started without "agentd link hub run"'),
      })
      expect(server.exitCode).toBe(null)
      expect(await listed(user.env)).not.toContain('What started it was killed')
    } finally {
      server.kill()
      await once(server, 'exit')
    }
  })
})
