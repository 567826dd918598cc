/**
 * A hub of somebody else: two real daemons seal what goes to a real server, whose disk holds nothing of it (FED-46).
 */
import { describe, expect, test } from 'vitest'
import { agentd } from '../cli/support.ts'
import { hasProgram, isSo } from '../support/needs.ts'
import type { LinkedDaemon } from './linked-daemon.ts'
import { startMachines } from './machines.ts'

/** Stands nowhere by chance, in no spelling of octets. */
const SECRET = 'the-heron-flies-at-noon'

const TITLE = 'about-the-heron'

const seal = (machine: LinkedDaemon, word = '--seal') => agentd(machine.env, ['link', 'allow', 'home', word])

const linkOf = async (machine: LinkedDaemon) => (await machine.ask('/v1/links')).body.links[0]

/** Somebody with a title, of whom presence tells. */
async function join(machine: LinkedDaemon): Promise<void> {
  const json = { instrument: 'cc', session_id: 's-heron', mailbox: true, title: TITLE }
  expect((await machine.ask('/v1/sessions', json)).status).toBe(201)
}

const isThere = async (machine: LinkedDaemon): Promise<boolean> => {
  const { body } = await machine.ask('/v1/handles/~alice/roster?nodes=all')
  return JSON.stringify(body).includes(TITLE)
}

/** What the devbox made of the one frame that was said, once it has told. */
async function toldOf(machine: LinkedDaemon): Promise<unknown> {
  const { body } = await machine.ask('/v1/frames?limit=1')
  let told: unknown
  await machine.when('what became of it', async () => {
    const { body: one } = await machine.ask(`/v1/frames/${body.items[0].frame.frame_id}`)
    told = one.receipts.find(({ state }: { state: string }) => state === 'refused')
    return told !== undefined
  })
  return told
}

const canRun =
  hasProgram('nats-server') && isSo(process.platform === 'linux', 'they look for processes in /proc')

describe.runIf(canRun)('over a hub of somebody else', () => {
  test('what is sealed is heard on the other machine and stands nowhere on the disk of the hub (FED-46)', async () => {
    await using machines = await startMachines()
    const { devbox, hub, laptop } = machines
    const said = [await seal(laptop), await seal(devbox)]

    await join(laptop)
    await laptop.when('who is there at the devbox', () => isThere(devbox))
    await laptop.say(SECRET)
    const heard = await devbox.hears('laptop', 1)
    await devbox.say(`${SECRET}, too`)
    const answered = await laptop.hears('devbox', 1)
    const { body: receipts } = await laptop.ask('/v1/frames?limit=1')
    const disk = hub.octets()
    const { stdout: status } = await agentd(laptop.env, ['link', 'status'])

    expect(said.map(({ stdout }) => stdout)).toEqual(
      Array.from({ length: 2 }, () => expect.stringContaining('; sealed\n')),
    )
    expect([heard, answered]).toEqual([[SECRET], [`${SECRET}, too`]])
    expect(receipts.items).toHaveLength(1)
    expect(disk.includes('"t":"sealed"')).toBe(true)
    expect(disk.includes(SECRET)).toBe(false)
    expect(disk.includes(TITLE)).toBe(false)
    expect(disk.includes('advisory')).toBe(false)
    expect(status).toContain('sealed')
    expect(await linkOf(laptop)).toMatchObject({ state: 'up', seal: 'realm', unsealed_for: [] })
  })

  test('what is not sealed stands there, and counts nowhere where a seal is asked for: its sender is told (FED-46)', async () => {
    await using machines = await startMachines()
    const { devbox, hub, laptop } = machines
    await seal(devbox)
    await laptop.say(SECRET)
    await laptop.when('it to be refused', async () => (await linkOf(devbox)).figures.refused === 1)
    const [heard, disk] = [await devbox.history(), hub.octets()]
    const told = await toldOf(laptop)
    await devbox.say('sealed')

    expect(heard).toEqual([])
    expect(told).toMatchObject({ state: 'refused', node: 'devbox', code: 'scope-unauthorised' })
    expect(disk.includes(SECRET)).toBe(true)
    expect(await laptop.hears('devbox', 1)).toEqual(['sealed'])
  })

  test('a machine without a key sends nothing and says why, until an estate brings one (FED-46)', async () => {
    await using machines = await startMachines({ withoutSeals: true })
    const { devbox, hub, laptop } = machines
    await seal(laptop)
    await laptop.say(SECRET)
    await devbox.say('plain')
    await laptop.when('it to be refused', async () => (await linkOf(laptop)).figures.refused === 1)
    const [status, doctor] = [
      await agentd(laptop.env, ['link', 'status']),
      await agentd(laptop.env, ['doctor', '--json']),
    ]
    const [held, disk] = [await devbox.heardFrom('laptop'), hub.octets()]
    hub.wish({ withoutSeals: false })
    await hub.publishEstate()

    expect(status.stdout).toContain('refused: nothing leaves unsealed')
    expect(doctor.stdout).toContain('nothing leaves unsealed')
    expect(held).toEqual([])
    expect(disk.includes(SECRET)).toBe(false)
    expect(await devbox.hears('laptop', 1)).toEqual([SECRET])
    expect(hub.octets().includes(SECRET)).toBe(false)
  })

  test('while machines are invited and revoked all of it comes, in order, and the key is another one each time (FED-43, FED-46)', async () => {
    await using machines = await startMachines({ nodes: ['laptop', 'devbox', 'lost'] })
    const { devbox, hub, laptop } = machines
    await Promise.all([seal(laptop), seal(devbox)])
    const said = Array.from({ length: 60 }, (_, i) => `${SECRET} ${i}`)
    for (const [i, text] of said.entries()) {
      await laptop.say(text)
      if (i === 20) await hub.publishEstate()
      if (i === 40) await hub.revoke('lost')
    }
    const heard = await devbox.hears('laptop', said.length)
    await laptop.when('the newest key to be in use', () =>
      Promise.resolve(hub.octets().includes('"t":"sealed","k":3,')),
    )
    const { seals } = JSON.parse(hub.linkOf('laptop').estate)

    expect(heard).toEqual(said)
    expect(seals.map(({ keys }: { keys: object }) => Object.keys(keys).includes('lost'))).toEqual([
      true,
      true,
      false,
    ])
    expect((await linkOf(devbox)).figures).toMatchObject({ refused: 0, holes: 0 })
    expect(hub.octets().includes(SECRET)).toBe(false)
  })

  test('what is sealed goes on over a restart of its daemon, and when it is sealed no more (FED-22, FED-46)', async () => {
    await using machines = await startMachines()
    const { devbox, laptop } = machines
    await seal(laptop)
    await laptop.say('one')
    await devbox.hears('laptop', 1)
    await laptop.restart()
    await laptop.say('two')
    await devbox.hears('laptop', 2)
    await seal(laptop, '--no-seal')
    await laptop.say('three')

    expect(await devbox.hears('laptop', 3)).toEqual(['one', 'two', 'three'])
    expect(await linkOf(laptop)).toMatchObject({ state: 'up', figures: { gaps: 0 } })
    expect(await linkOf(laptop)).not.toHaveProperty('seal')
  })
})
