/**
 * The lanes of an organisation between two people's machines, as they are: two daemons, their bridges, one hub. Each of them is
 * killed once while both speak; and an envelope goes to a name that the charter alone gives (FED-05, FED-24, FED-69).
 */
import { readFileSync } from 'node:fs'
import { expect, test, vi } from 'vitest'
import { z } from 'zod'
import { validEnvelope } from '../../../support/envelopes.ts'
import { validFrame, validPayload } from '../../../support/frames.ts'
import { post, request } from '../../../support/http.ts'
import { hasProgram, isSo } from '../../../support/needs.ts'
import { agentd, words, type Running } from '../../support.ts'
import { foundAcme, invited, said, type Acme, type Person } from './acme.ts'
import { startHub } from './hub-support.ts'

/** Bridges begin, connect and are told of one another within a second or two; a busy machine takes more. */
const SETTLED = { timeout: 90_000, interval: 200 }

/** Frames of a lane between one death and the next. */
const EACH = 3

const Pid = z.object({ pid: z.int() })

/** A lane, by whose frames are in it and for whom. */
interface Spoken {
  readonly from: Person
  readonly to: Person
  readonly handle: '~alice' | '~bob'
  readonly scope: string
}

function lanesOf({ alice, bob }: Acme): readonly Spoken[] {
  return [
    ...['org:~acme/members/*', 'org:~acme/members/dev/*', '~alice/*'].map(
      (scope) => ({ from: bob, to: alice, handle: '~bob', scope }) as const,
    ),
    ...['org:~acme/members/*', '~bob/*'].map(
      (scope) => ({ from: alice, to: bob, handle: '~alice', scope }) as const,
    ),
  ]
}

async function socketOf({ env }: Person): Promise<string> {
  return (await agentd(env, words('status --quiet'))).stdout.trim()
}

async function pidOf({ env }: Person, command: string): Promise<number> {
  return Pid.parse(JSON.parse((await agentd(env, words(command))).stdout)).pid
}

/** Has it accepted, however often it takes: its own id makes a second time the first one (AC-175). */
async function say(socket: string, { handle, scope }: Spoken, text: string): Promise<void> {
  const recipient = scope.startsWith('org:') ? '~acme' : scope.slice(0, scope.indexOf('/'))
  const frame = validFrame('agent_advisory', {
    sender_handle: handle,
    acted_by: handle,
    recipient_handle: recipient,
    payload: { ...validPayload('agent_advisory'), advisory_text: text },
  })
  await vi.waitFor(async () => {
    const { status, text: answer } = await post(socket, '/v1/frames', { recipient_scope: scope, frame })
    expect(status, answer).toBe(200)
  }, SETTLED)
}

/** What somebody has of a lane that came from elsewhere, in order. */
async function heard({ to, scope, handle }: Spoken): Promise<readonly string[]> {
  const { body } = await request(await socketOf(to), '/v1/frames?limit=1000')
  const items: readonly {
    node?: string | null
    scope: string
    frame: { sender_handle: string; payload: { advisory_text?: string } }
  }[] = body.items
  return items.flatMap(({ node, scope: of, frame }) => {
    if (typeof node !== 'string' || of !== scope || frame.sender_handle !== handle) return []
    return frame.payload.advisory_text ?? []
  })
}

async function killBridge(person: Person): Promise<void> {
  const daemon = await pidOf(person, 'status --json')
  await vi.waitFor(() => {
    const children = readFileSync(`/proc/${daemon}/task/${daemon}/children`, 'utf8').trim().split(' ')
    const bridge = children.find((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('bridge'))
    process.kill(Number(bridge), 'SIGKILL')
  }, SETTLED)
}

async function killDaemon(person: Person): Promise<void> {
  process.kill(await pidOf(person, 'status --json'), 'SIGKILL')
  await vi.waitFor(async () => {
    expect(await agentd(person.env, words('start'))).toMatchObject({ code: 0 })
  }, SETTLED)
}

/** @param hub - ends with its server */
async function killHub({ alice }: Acme, hub: Running): Promise<Running> {
  process.kill(await pidOf(alice, 'link hub list --json'), 'SIGKILL')
  await hub.ended
  return startHub(alice.env)
}

async function linkBoth(acme: Acme): Promise<void> {
  for (const [who, roles, entities] of [
    [acme.alice, 'dev,ops', 'agent.alice-*'],
    [acme.bob, 'dev', 'agent.bob-*'],
  ] as const) {
    const invitation = await invited(acme, who, roles, entities)
    // What the machines tell of who is there names nobody.
    await said(who, ['link', 'add', 'acme', invitation, '--allow', 'all', '--presence', 'none'])
  }
  for (const { env } of [acme.alice, acme.bob])
    await vi.waitUntil(
      async () => /^acme up/m.test((await agentd(env, words('link status'))).stdout),
      SETTLED,
    )
}

const canRun =
  (['script', 'openssl', 'nats-server'] as const).every((name) => hasProgram(name)) &&
  isSo(process.platform === 'linux', 'it looks for processes in /proc')

test.runIf(canRun)(
  'to everybody, a role and a member nothing is lost, twice or out of order when bridge, hub and daemons are killed (FED-05, FT-02, FT-04, FT-05)',
  { timeout: 300_000 },
  async () => {
    await using acme = await foundAcme()
    let hub = await startHub(acme.alice.env)
    try {
      await linkBoth(acme)
      const lanes = lanesOf(acme)
      let said = 0
      const speak = async (): Promise<void> => {
        const from = said
        said += EACH
        for (const lane of lanes) {
          const socket = await socketOf(lane.from)
          for (let i = from + 1; i <= said; i += 1) await say(socket, lane, String(i))
        }
      }

      await speak()
      await killBridge(acme.bob)
      await speak()
      hub = await killHub(acme, hub)
      await speak()
      await killDaemon(acme.alice)
      await speak()
      await killDaemon(acme.bob)
      await speak()

      const wanted = Array.from({ length: said }, (_, i) => String(i + 1))
      for (const lane of lanes) {
        await vi.waitUntil(async () => (await heard(lane)).length >= said, SETTLED)
        expect(await heard(lane), lane.scope).toEqual(wanted)
      }
    } finally {
      await hub[Symbol.asyncDispose]()
    }
  },
)

test.runIf(canRun)(
  'an envelope goes to the machine of a member whom the charter alone gives the name, and to no name that it gives nobody (FED-69)',
  { timeout: 180_000 },
  async () => {
    await using acme = await foundAcme()
    await using _ = await startHub(acme.alice.env)
    await linkBoth(acme)
    const [alice, bob] = [await socketOf(acme.alice), await socketOf(acme.bob)]
    const send = (to: string) => post(alice, '/v1/envelopes', validEnvelope({ from: 'agent.alice-dev', to }))

    const known = await send('agent.bob-reviewer')
    const unknown = await send('agent.carol-reviewer')

    expect(known.body).toMatchObject({ recipient_count: 0, queued_count: 0 })
    expect(unknown.body).toMatchObject({ code: 'recipient-unknown' })
    await vi.waitUntil(async () => {
      const { text } = await request(bob, '/v1/events?limit=100')
      return text.includes(String(known.body.id))
    }, SETTLED)
    expect((await request(alice, '/v1/links')).body.links[0].figures).toMatchObject({ refused: 0 })
  },
)
