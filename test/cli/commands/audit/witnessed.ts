/**
 * Somebody whose daemon records evidence. Uses the built program.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { expect } from 'vitest'
import { AGENTD, agentd, createUser } from '../../support.ts'
import { sendEnvelope, validEnvelope } from '../../../support/envelopes.ts'

/** Somebody whose daemon records evidence, and has passed on a few envelopes. */
export async function createWitnessed(count = 3) {
  const user = await createUser()
  mkdirSync(user.dir.file('config'), { recursive: true })
  const env = { ...user.env, XDG_CONFIG_HOME: user.dir.file('config') }
  mkdirSync(user.dir.file('config', 'agentd'), { recursive: true, mode: 0o700 })
  writeFileSync(
    user.dir.file('config', 'agentd', 'config.json'),
    JSON.stringify({ aee: { volt: true, ward: true } }),
    { mode: 0o600 },
  )
  const call = (...args: readonly string[]) => {
    const options = { env, encoding: 'utf8' } as const
    const { status, stdout, stderr } = spawnSync(process.execPath, [AGENTD, ...args], options)
    return { status, stdout, stderr }
  }
  const send = async (envelope: object): Promise<void> => {
    const { status } = await sendEnvelope(user.env['AGENTD_SOCKET'] ?? '', envelope)
    expect(status).toBe(200)
  }
  await agentd(env, ['start'])
  const corr = 'the-workflow'
  const envelopes = Array.from({ length: count }, (_, i) =>
    validEnvelope({ to: 'bus.ops', corr, payload: { i } }),
  )
  for (const envelope of envelopes) await send(envelope)
  return {
    env,
    corr,
    envelopes,
    call,
    send,
    evidence: (name: string) => user.dir.file('state', 'evidence', name),
    file: (name: string) => user.dir.file(name),
    [Symbol.asyncDispose]: () => user[Symbol.asyncDispose](),
  }
}
