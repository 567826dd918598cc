/**
 * What is forgotten on one machine and its copies on the others: told of, or forgotten too, by the command itself over two
 * real daemons and a real hub (FED-33).
 */
import { describe, expect, test } from 'vitest'
import { agentd } from '../cli/support.ts'
import { hasProgram, isSo } from '../support/needs.ts'
import type { LinkedDaemon } from './linked-daemon.ts'
import { startMachines } from './machines.ts'

const forget = (machine: LinkedDaemon, ...more: readonly string[]) =>
  agentd(machine.env, ['history', '--forget', '--kind', 'agent_advisory', ...more])

/** Both have what the laptop and the devbox said. */
async function speak(laptop: LinkedDaemon, devbox: LinkedDaemon): Promise<void> {
  await laptop.say('of the laptop')
  await devbox.say('of the devbox')
  await laptop.hears('devbox', 1)
  await devbox.hears('laptop', 1)
}

const canRun =
  hasProgram('nats-server') && isSo(process.platform === 'linux', 'they look for processes in /proc')

describe.runIf(canRun)('what is forgotten on one of two machines', () => {
  test('stays on the other one, which is said, and goes there too with --everywhere (FED-33)', async () => {
    await using machines = await startMachines()
    const { devbox, laptop } = machines
    await speak(laptop, devbox)

    const counted = await forget(laptop, '--dry-run', '--json')
    const here = await forget(laptop, '--yes')
    const left = await devbox.history()
    const there = await forget(devbox, '--yes', '--everywhere')

    expect(JSON.parse(counted.stdout).elsewhere).toEqual({ items: 2, nodes: ['devbox'] })
    expect(here.stdout).toBe('forgot 2 items\n')
    expect(here.stderr).toBe('Copies of 2 stay on devbox: --everywhere forgets them there too.\n')
    expect(left).toHaveLength(2)
    expect(there.stdout).toBe('forgot 2 items, 2 of them on laptop too\n')
    expect(await devbox.history()).toEqual([])
  })

  test('is gone from both with --everywhere, and what was said afterwards is not (FED-33)', async () => {
    await using machines = await startMachines()
    const { devbox, laptop } = machines
    await speak(laptop, devbox)

    const outcome = await forget(laptop, '--yes', '--everywhere')
    await laptop.say('said afterwards')
    await devbox.hearsOnly('said afterwards')

    expect(outcome.code).toBe(0)
    expect((await laptop.history()).map(({ text }) => text)).toEqual(['said afterwards'])
  })

  test('is forgotten there when the hub is back, though the daemon that was told was killed meanwhile (FED-33)', async () => {
    await using machines = await startMachines()
    const { devbox, hub, laptop } = machines
    await speak(laptop, devbox)
    await hub.kill()

    const outcome = await forget(laptop, '--yes', '--everywhere')
    await laptop.restart()
    await hub.run()
    await laptop.say('said afterwards')
    await devbox.hearsOnly('said afterwards')

    expect(outcome.stderr).toBe(
      'A machine that is away forgets it when it is back; what the hub keeps of it ages out.\n',
    )
  }, 60_000)
})
