/**
 * Links over servers that somebody else has set up (FED-14, FED-15).
 */
import { expect, test } from 'vitest'
import { hasProgram, isSo } from '../support/needs.ts'
import { LinkedDaemon } from './linked-daemon.ts'
import { startOperated, startWithLeaf, type OtherServer } from './other-servers.ts'

const canRun =
  hasProgram('nats-server') && isSo(process.platform === 'linux', 'they look for processes in /proc')

/** Both say something, and the way is taken anew in between. */
async function expectHeard(server: OtherServer): Promise<void> {
  await using laptop = await LinkedDaemon.start(server, 'laptop')
  await using devbox = await LinkedDaemon.start(server, 'devbox')
  await Promise.all([laptop.state('up'), devbox.state('up')])
  await laptop.say('from the laptop')
  await devbox.say('from the devbox')
  expect(await devbox.hears('laptop', 1)).toEqual(['from the laptop'])
  expect(await laptop.hears('devbox', 1)).toEqual(['from the devbox'])

  await devbox.killBridge()
  await laptop.say('meanwhile')
  await devbox.say('afterwards')

  expect(await devbox.hears('laptop', 2)).toEqual(['from the laptop', 'meanwhile'])
  expect(await laptop.hears('devbox', 2)).toEqual(['from the devbox', 'afterwards'])
  // Each has written its place into the bucket as well, which goes by another subject than a lane.
  for (const [one, other] of [
    [laptop, 'devbox'],
    [devbox, 'laptop'],
  ] as const)
    expect(await one.offsetOf(other)).toBeLessThan(60_000)
}

test.runIf(canRun)(
  'a server in operator mode takes a .creds file, with what a node may and no more (FED-13, FED-14)',
  { timeout: 120_000 },
  async () => {
    await using server = await startOperated()

    await expectHeard(server)
  },
)

test.runIf(canRun)(
  'a leaf node before the hub is as good as that, with the domain of its JetStream (FED-15)',
  { timeout: 120_000 },
  async () => {
    await using server = await startWithLeaf()

    await expectHeard(server)
  },
)
