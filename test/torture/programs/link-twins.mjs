/**
 * Two machines with one credential, as after a disk was cloned: one of them goes on and the other is fenced within seconds,
 * whatever both say; nobody else gets anything twice. And one session address on two machines, which is legal, tells itself,
 * and hears what is for it on both (FT-11, FED-20, FED-22, FED-54).
 */
import { makeFrame } from '../support/frames.mjs'
import { whatIsMissing } from '../support/link/hub-parts.mjs'
import { LinkedNode } from '../support/link/node.mjs'
import { withScene } from '../support/link/scene.mjs'
import { speakersOf } from '../support/link/speakers.mjs'
import { openReader } from '../support/reader.mjs'
import { sleep, waitFor } from '../support/waiting.mjs'

/** What is said before the disk is cloned, and while there are two of it, in milliseconds. */
const SPOKEN_MS = 1_500

/** One of two is fenced by then, in milliseconds. */
const FENCED_MS = 5_000

const TWINS = ['laptop', 'twin']

export default {
  name: 'link-twins',
  promise: 'FED-22, FED-54',
  summary:
    'a cloned disk is fenced within 5 s, nothing twice; one session address on two machines reaches both',
  async run() {
    return (
      whatIsMissing() ??
      (await withScene({}, async (scene) => {
        const address = await oneAddress(scene)
        const fence = await cloneDisk(scene)
        return { ...fence.figures, ...address.figures, holds: fence.holds && address.holds }
      }))
    )
  },
}

async function cloneDisk(scene) {
  const laptop = scene.node('laptop')
  await scene.speak()
  await sleep(SPOKEN_MS)
  const original = scene.speakersOf('laptop')
  await scene.hush(original)
  await waitFor(() => scene.missing() === 0 || scene.speakers.length === 0, 5_000)
  await laptop.daemon.stop()
  const way = scene.way('laptop')
  const linkText = scene.hub.linkText('laptop', way)
  const twin = new LinkedNode('twin', { copyOf: laptop, linkText, command: way.command })
  const saidBefore = new Map(original.map((one) => [one.name, one.acked.size]))
  await Promise.all([laptop.start(), twin.start()])
  scene.nodes.push(twin)
  for (const one of [laptop, twin]) await waitFor(async () => (await one.link())?.state === 'up', 10_000)
  const doubles = speakersOf(twin)
  const startedMs = performance.now()
  await scene.speak([...original, ...doubles])
  let fenced
  await waitFor(async () => {
    for (const one of [laptop, twin]) if ((await one.link())?.state === 'fenced') fenced = one
    return fenced !== undefined
  }, 6 * FENCED_MS)
  const fencedMs = Math.round(performance.now() - startedMs)
  await sleep(SPOKEN_MS)
  const loser = fenced?.name === 'laptop' ? original : doubles
  await scene.hush([...original, ...doubles])
  const devbox = scene.listener('devbox')
  const heard = loser.reduce(
    (sum, { name }) => sum + (devbox.account.heard.get(name)?.size ?? 0) - (saidBefore.get(name) ?? 0),
    0,
  )
  // The fenced one has nothing from elsewhere either until somebody has looked, and owes nobody what it said.
  scene.speakers = [...scene.speakers, ...doubles].filter((one) => !loser.includes(one))
  for (const one of scene.listeners) if (one !== devbox) one.close()
  scene.listeners = [devbox]
  const { figures, holds } = await scene.settle()
  const link = await fenced?.link()
  return {
    figures: {
      ...figures,
      fenced: fenced?.name ?? 'nobody',
      fenced_ms: fencedMs,
      why: link?.why ?? '',
      of_the_fenced: heard,
    },
    holds: holds && TWINS.includes(fenced?.name) && fencedMs <= FENCED_MS && heard === 0,
  }
}

/** @returns whether the second registration names the first node, and both hear what is for their address */
async function oneAddress({ nodes }) {
  const json = { instrument: 'cc-opus-4-6', session_id: 'moved' }
  const [first, second] = nodes
  const here = await first.ask('/v1/sessions', { json })
  // Who neither listens nor has a mailbox is on nobody's roster.
  const readers = [openReader(first.socket, { token: here.body.token })]
  await readers[0].until(() => readers[0].connects > 0)
  await waitFor(() => isOnRosterOf(second, first.name))
  const there = await second.ask('/v1/sessions', { json })
  const alsoOn = there.body.also_on ?? []
  readers.push(openReader(second.socket, { token: there.body.token }))
  await readers[1].until(() => readers[1].connects > 0)
  // Until the sender's machine knows of it, what is for one session here stays here (FED-24).
  await waitFor(() => isOnRosterOf(first, second.name))
  await first.ask('/v1/frames', {
    json: { recipient_scope: '~alice/cc-opus-4-6@moved', frame: makeFrame({ text: 'for who moved' }) },
  })
  const heard = await Promise.all(
    readers.map((one) =>
      one.until(() => one.frames.some(({ data }) => data.includes('for who moved')), 5_000),
    ),
  )
  await sleep(300)
  const copies = readers.map(
    ({ frames }) => frames.filter(({ data }) => data.includes('for who moved')).length,
  )
  for (const one of readers) one.close()
  return {
    figures: { also_on: alsoOn.join(' '), heard_of_one_address: copies.join(' and ') },
    holds: alsoOn[0] === first.name && heard.every(Boolean) && copies.every((count) => count === 1),
  }
}

/** Whether a machine knows that the address is on another one too. */
async function isOnRosterOf(node, other) {
  const { text } = await node.ask('/v1/handles/~alice/roster?nodes=all')
  const { nodes = [] } = JSON.parse(text)
  return JSON.stringify(nodes.find((one) => one.node === other) ?? null).includes('cc-opus-4-6@moved')
}
