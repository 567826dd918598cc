/**
 * Between a few nodes each word is read as it comes; among many the bucket is read every two seconds, and at once when an
 * estate is waited for (FED-43, FED-51, L-06).
 */
import { expect, onTestFinished, test } from 'vitest'
import { Bucket, CROWD, CROWD_MS } from '../../src/bridge/bucket.ts'
import { DaemonRefusal } from '../../src/bridge/daemon/faults.ts'
import { objectOf } from '../../src/core/text/json-object.ts'
import type { HubMessage } from '../../src/bridge/hub/message.ts'
import { createNodeKey } from '../../src/link/keys/node-key.ts'
import { documentKey, kvSubject, nodeKey } from '../../src/link/realm.ts'
import { FakeClock } from '../support/fake-clock.ts'

const REALM = 'p.alice'
const ESTATE = kvSubject(REALM, documentKey(REALM))

/** Lets everything run that is ready. */
const turn = () => new Promise((resolve) => setImmediate(resolve))

/** A bucket of a hub that holds what has been put and nobody has read yet, and what of it the daemon was told. */
function startBucket() {
  const clock = new FakeClock()
  const kept: Omit<HubMessage, 'pending'>[] = []
  const told: string[] = []
  const [asked, ends]: [number[], AbortController] = [[], new AbortController()]
  let onPut: (() => void) | undefined
  const more = async () => {
    if (kept.length === 0 && !ends.signal.aborted) await new Promise<void>((resolve) => (onPut = resolve))
    ends.signal.throwIfAborted()
  }
  const bucket = new Bucket({
    clock,
    link: { realm: REALM, node: 'laptop', node_key: createNodeKey().seed },
    door: {
      post: (path, body) => {
        const text = String(objectOf(body)['text'])
        if (text === 'refused') return Promise.reject(new DaemonRefusal(422, 'field-invalid', 'No.'))
        told.push(path.endsWith('estate') ? 'estate' : text)
        return Promise.resolve({ authority_epoch: 1 })
      },
    },
    hub: {
      publish: () => Promise.resolve(1),
      readBucket: () =>
        Promise.resolve({
          waiting: () => Promise.resolve(0),
          close: () => Promise.resolve(),
          async *pull(maxMessages) {
            asked.push(maxMessages)
            for (let left = maxMessages; left > 0; left -= 1) {
              await more()
              const message = kept.shift()
              if (message !== undefined) yield { ...message, pending: kept.length }
            }
          },
        }),
    },
  })
  const running = bucket.run().catch(() => {})
  onTestFinished(async () => {
    ends.abort()
    onPut?.()
    bucket.close()
    await running
  })
  const put = (subject: string, text: string) => {
    kept.push({ subject, seq: 1, engineAtMs: 1, signature: 'k s', text })
    onPut?.()
  }
  return {
    clock,
    bucket,
    told,
    asked,
    put,
    say: (node: string, text = node) =>
      put(kvSubject(REALM, nodeKey(REALM, { handle: '~alice', node })), text),
  }
}

/** As above, when as many as that have said who they are. */
async function startAmong(nodes: number) {
  const started = startBucket()
  for (let i = 0; i < nodes; i += 1) started.say(`node-${i}`)
  await turn()
  const first = started.told.splice(0)
  return { ...started, first }
}

test('all that a bucket holds is told at once, taken sixteen ahead', async () => {
  const { first, asked } = await startAmong(40)

  expect(first).toEqual(Array.from({ length: 40 }, (_, i) => `node-${i}`))
  expect(asked).toEqual([1, 16, 16, 7])
})

test('between a few nodes news is told as it comes', async () => {
  const { say, told } = await startAmong(CROWD - 1)

  say('node-1', 'news')
  await turn()

  expect(told).toEqual(['news'])
})

test('among many, what comes within two seconds is read together', async () => {
  const { say, told, clock } = await startAmong(CROWD)

  say('node-1', 'news')
  say('node-2', 'more')
  clock.advance(CROWD_MS - 1)
  await turn()
  const before = [...told]
  clock.advance(1)
  await turn()

  expect(before).toEqual([])
  expect(told).toEqual(['news', 'more'])
})

test('an estate that is waited for is read at once, whoever else speaks (FED-43)', async () => {
  const { put, told, bucket, clock } = await startAmong(CROWD)

  const newer = bucket.newerEstate(bucket.estates, 10 * CROWD_MS)
  put(ESTATE, '{}')
  await newer
  await turn()

  expect(told).toEqual(['estate'])
  expect(bucket.authorityEpoch).toBe(1)
  expect(clock.monotonicMs()).toBe(0)
})

test('among many, a bucket is read on without a pause for as long as an estate is waited for (FED-43)', async () => {
  const { put, say, told, bucket } = await startAmong(CROWD)

  const newer = bucket.newerEstate(bucket.estates, 10 * CROWD_MS)
  say('node-1', 'news')
  await turn()
  say('node-2', 'more')
  await turn()
  put(ESTATE, '{}')
  await newer

  expect(told).toEqual(['news', 'more', 'estate'])
})

test('a value that the daemon refuses keeps none behind it', async () => {
  const { say, told } = await startAmong(2)

  say('node-0', 'refused')
  say('node-1', 'news')
  await turn()

  expect(told).toEqual(['news'])
})

test('what waits when the connection is over is not handed over any more, and whoever rests ends', async () => {
  const { bucket, say, told, clock } = await startAmong(CROWD)
  say('node-1')
  clock.advance(CROWD_MS)
  await turn()

  bucket.close()
  await turn()
  clock.advance(10 * CROWD_MS)
  await turn()

  expect(told).toEqual([])
  expect(clock.pendingTimers).toBe(0)
})
