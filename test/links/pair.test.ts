/**
 * Two machines of one person, as they are: real daemons, the bridges that they start, one real hub between them. Whatever is
 * killed or cut while both speak, nothing is lost, nothing comes twice, and each speaker's order holds (FED-05).
 */
import { describe, expect, test } from 'vitest'
import { hasProgram, isSo } from '../support/needs.ts'
import type { LinkedDaemon } from './linked-daemon.ts'
import { startMachines, type Machines } from './machines.ts'

/** Somebody on a machine who says one number after the other until it is enough. */
class Speaker {
  said = 0
  readonly #machine: LinkedDaemon

  constructor(machine: LinkedDaemon) {
    this.#machine = machine
  }

  async speak(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) await this.#machine.say(String((this.said += 1)))
  }

  /** Waits until some more was said. */
  async someMore(): Promise<void> {
    const from = this.said
    while (this.said < from + 20) await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

/** Both speak while it happens, before it and after it; then everything has to be everywhere. */
async function speakDuring(
  machines: Machines,
  happening: (someMore: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const speakers = [new Speaker(machines.laptop), new Speaker(machines.devbox)]
  const over = new AbortController()
  const speaking = Promise.all(speakers.map((one) => one.speak(over.signal)))
  const someMore = async (): Promise<void> => {
    await Promise.all(speakers.map((one) => one.someMore()))
  }
  await someMore()
  await happening(someMore)
  await someMore()
  over.abort()
  await speaking
  await expectWhole(machines, ...speakers.map(({ said }) => said))
}

async function expectWhole({ laptop, devbox }: Machines, ...said: readonly number[]): Promise<void> {
  const [ofLaptop = 0, ofDevbox = 0] = said
  expect(await devbox.hears('laptop', ofLaptop)).toEqual(numbers(ofLaptop))
  expect(await laptop.hears('devbox', ofDevbox)).toEqual(numbers(ofDevbox))
}

function numbers(to: number): readonly string[] {
  return Array.from({ length: to }, (_, i) => String(i + 1))
}

const canRun =
  hasProgram('nats-server') && isSo(process.platform === 'linux', 'they look for processes in /proc')

describe.runIf(canRun)('two machines of one person', () => {
  test('hear each other in order, and nothing of their own comes back (FED-04, FED-05)', async () => {
    await using machines = await startMachines()
    const { laptop, devbox } = machines
    for (let i = 1; i <= 30; i += 1) await Promise.all([laptop.say(String(i)), devbox.say(String(i))])

    await expectWhole(machines, 30, 30)
    const own = (await laptop.history()).filter(({ node }) => node === undefined)
    expect(own.map(({ text }) => text)).toEqual(numbers(30))
  })

  test('lose nothing when a bridge is killed under load (FT-04)', async () => {
    await using machines = await startMachines()

    await speakDuring(machines, async (someMore) => {
      for (const one of [machines.laptop, machines.devbox, machines.laptop]) {
        await one.killBridge()
        await someMore()
      }
    })
  }, 120_000)

  test('lose nothing when the hub is killed, rewound or loses its disk under load (FT-02, FT-03)', async () => {
    await using machines = await startMachines()
    const { hub } = machines

    await speakDuring(machines, async (someMore) => {
      await hub.kill()
      const copy = hub.copyDisk()
      await hub.run()
      await someMore()
      await hub.kill()
      hub.replaceDisk(copy)
      await hub.run()
      await someMore()
      await hub.kill()
      hub.replaceDisk()
      await hub.run()
      await hub.makeStreams()
      await someMore()
    })
  }, 120_000)

  test('lose nothing when a daemon is killed under load (FT-05)', async () => {
    await using machines = await startMachines()

    await speakDuring(machines, async (someMore) => {
      for (const one of [machines.laptop, machines.devbox]) {
        await one.restart()
        await someMore()
      }
    })
  }, 120_000)

  test('lose nothing on a way that is cut without a word (FT-01)', async () => {
    await using machines = await startMachines()
    const { way } = machines

    await speakDuring(machines, async (someMore) => {
      way.cut()
      await someMore()
      way.heal()
      await someMore()
      way.drop()
      await someMore()
    })
  }, 120_000)
})
