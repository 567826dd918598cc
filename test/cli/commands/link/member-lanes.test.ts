/**
 * The lanes of an organisation between two people's machines, as they are: two daemons, their bridges, one hub. Each of them is
 * killed once while both speak; and an envelope goes to a name that the charter alone gives (FED-05, FED-24, FED-69).
 */
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { validEnvelope } from '../../../support/envelopes.ts'
import { validFrame, validPayload } from '../../../support/frames.ts'
import { post, request } from '../../../support/http.ts'
import { hasProgram, isSo } from '../../../support/needs.ts'
import { keepsFrames } from '../../../support/without-sqlite.ts'
import { agentd, words, type Running } from '../../support.ts'
import { addedUnasked, foundAcme, invited, said, type Acme, type Person } from './acme.ts'
import { startHub } from './hub-support.ts'

/** Bridges begin, connect and are told of one another within a second or two; a busy machine takes more. */
const SETTLED = { timeout: 90_000, interval: 100 }

/** Frames of a lane between one death and the next; all of them are far below what is taken of another principal at once. */
const EACH = 8

const Pid = z.object({ pid: z.int() })
const Links = z.object({
  links: z.array(z.object({ state: z.string(), figures: z.object({ refused: z.int(), holes: z.int() }) })),
})
/** What passed somewhere, the newest first. */
const Passed = z.object({
  items: z.array(
    z.object({
      node: z.string().nullish(),
      scope: z.string().nullish(),
      frame: z.object({ payload: z.object({ advisory_text: z.string().optional() }) }).optional(),
      envelope: z.object({ id: z.string() }).optional(),
    }),
  ),
})

/** A lane, by whose frames are in it and for whom. */
interface Lane {
  readonly from: Person
  readonly to: Person
  readonly handle: '~alice' | '~bob'
  readonly scope: string
}

function lanesOf({ alice, bob }: Acme): readonly Lane[] {
  const shared = ['org:~acme/members/*', 'org:~acme/members/dev/*']
  return [
    ...[...shared, '~alice/*'].map((scope) => ({ from: bob, to: alice, handle: '~bob', scope }) as const),
    ...[...shared, '~bob/*'].map((scope) => ({ from: alice, to: bob, handle: '~alice', scope }) as const),
  ]
}

function socketOf({ env }: Person): string {
  return String(env['AGENTD_SOCKET'])
}

async function pidOf({ env }: Person, command: string): Promise<number> {
  return Pid.parse(JSON.parse((await agentd(env, words(command))).stdout)).pid
}

/** Has it accepted, however often it takes: its own id makes a second time the first one (AC-175). */
async function say({ from, handle, scope }: Lane, text: string): Promise<void> {
  const recipient = scope.startsWith('org:') ? '~acme' : scope.slice(0, scope.indexOf('/'))
  const frame = validFrame('agent_advisory', {
    sender_handle: handle,
    acted_by: handle,
    recipient_handle: recipient,
    payload: { ...validPayload('agent_advisory'), advisory_text: text },
  })
  await vi.waitFor(async () => {
    const { status, text: answer } = await post(socketOf(from), '/v1/frames', {
      recipient_scope: scope,
      frame,
    })
    expect(status, answer).toBe(200)
  }, SETTLED)
}

async function passedAt(person: Person) {
  const { items } = Passed.parse((await request(socketOf(person), '/v1/events?limit=1000')).body)
  return items.toReversed().filter(({ node }) => typeof node === 'string')
}

/** What somebody has of a lane, in order. */
async function heard({ to, scope }: Lane): Promise<readonly string[]> {
  const items = await passedAt(to)
  return items.flatMap((item) => (item.scope === scope ? (item.frame?.payload.advisory_text ?? []) : []))
}

async function linkOf(person: Person) {
  return Links.parse((await request(socketOf(person), '/v1/links')).body).links[0]
}

async function untilUp({ alice, bob }: Acme): Promise<void> {
  for (const person of [alice, bob])
    await vi.waitUntil(async () => (await linkOf(person))?.state === 'up', SETTLED)
}

async function bridgeOf(person: Person): Promise<number> {
  const daemon = await pidOf(person, 'status --json')
  return vi.waitFor(() => {
    const children = readFileSync(`/proc/${daemon}/task/${daemon}/children`, 'utf8').trim().split(' ')
    const found = children.find((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('bridge'))
    expect(found).toBeDefined()
    return Number(found)
  }, SETTLED)
}

async function linkBoth(acme: Acme): Promise<void> {
  for (const [who, roles, entities] of [
    [acme.alice, 'dev,ops', 'agent.alice-*'],
    [acme.bob, 'dev', 'agent.bob-*'],
  ] as const) {
    const invitation = await invited(acme, who, roles, entities)
    // What the machines tell of who is there names nobody.
    const args = ['acme', invitation, '--allow', 'all', '--presence', 'none']
    if (who === acme.alice) await addedUnasked(who, args)
    else await said(who, ['link', 'add', ...args])
  }
  await untilUp(acme)
}

const canRun =
  (['script', 'openssl', 'nats-server'] as const).every((name) => hasProgram(name)) &&
  isSo(process.platform === 'linux', 'it looks for processes in /proc')

describe.runIf(canRun)('two members of an organisation, over a hub', () => {
  let acme: Acme
  let hub: Running

  beforeAll(async () => {
    acme = await foundAcme()
    // Without it no envelope leaves (AEE-093).
    await agentd(acme.alice.env, words('config set aee.boundary.intents ["ops.backup.check"]'))
    hub = await startHub(acme.alice.env)
    await linkBoth(acme)
  }, 180_000)

  afterAll(async () => {
    await hub[Symbol.asyncDispose]()
    await acme[Symbol.asyncDispose]()
  }, 60_000)

  test('an envelope goes to the machine of the member whom the charter alone gives the name, and to no name of nobody (FED-69)', async () => {
    const send = (to: string) =>
      post(socketOf(acme.alice), '/v1/envelopes', validEnvelope({ from: 'agent.alice-dev', to }))

    const known = await send('agent.bob-reviewer')
    const unknown = await send('agent.carol-reviewer')

    expect(known.status, known.text).toBe(200)
    expect(unknown.body).toMatchObject({ code: 'recipient-unknown' })
    await vi.waitUntil(
      async () => (await passedAt(acme.bob)).some(({ envelope }) => envelope?.id === known.body.id),
      SETTLED,
    )
    expect((await linkOf(acme.bob))?.figures.refused).toBe(0)
  })

  // A daemon that is killed has what it kept.
  test.runIf(keepsFrames())(
    'to everybody, a role and a member nothing is lost, twice or out of order when bridges, the hub and a daemon are killed (FED-05, FT-02, FT-04, FT-05)',
    { timeout: 180_000 },
    async () => {
      const lanes = lanesOf(acme)
      let count = 0
      /** All lanes at once; each waits for nothing but its own answers. */
      const speak = async (): Promise<void> => {
        const from = count + 1
        count += EACH
        await Promise.all(
          lanes.map(async (lane) => {
            for (let i = from; i < from + EACH; i += 1) await say(lane, String(i))
          }),
        )
      }
      const killed = async (pid: number): Promise<void> => {
        const speaking = speak()
        // What was said before is under way, and what is said now is not even answered.
        process.kill(pid, 'SIGKILL')
        await speaking
      }

      await speak()
      await killed(await bridgeOf(acme.bob))
      await untilUp(acme)
      await killed(await bridgeOf(acme.alice))
      await untilUp(acme)
      await killed(await pidOf(acme.alice, 'link hub list --json'))
      await hub.ended
      hub = await startHub(acme.alice.env)
      await untilUp(acme)
      const speaking = killed(await pidOf(acme.alice, 'status --json'))
      await vi.waitFor(
        async () => expect(await agentd(acme.alice.env, words('start'))).toMatchObject({ code: 0 }),
        SETTLED,
      )
      await speaking
      await speak()

      const wanted = Array.from({ length: count }, (_, i) => String(i + 1))
      for (const lane of lanes) {
        await vi.waitUntil(async () => (await heard(lane)).length >= count, SETTLED)
        expect(await heard(lane), lane.scope).toEqual(wanted)
      }
      expect((await linkOf(acme.bob))?.figures).toEqual({ refused: 0, holes: 0 })
    },
  )
})
