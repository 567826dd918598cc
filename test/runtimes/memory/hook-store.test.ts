import { readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { readEnvironment } from '../../../src/host/config/paths.ts'
import { newHookState } from '../../../src/runtimes/memory/hook-state.ts'
import { HookStore } from '../../../src/runtimes/memory/hook-store.ts'
import { createTempDir } from '../../support/temp-dir.ts'

const HOUR_MS = 3_600_000
const KEEP_MS = 24 * HOUR_MS

test('files of sessions long silent go, and what a killed hook has left, and nothing else (HD-22)', async () => {
  await using place = await createStore()
  place.write('living', 0)
  place.write('silent', 23)
  place.write('gone', 25)
  const leftOvers = ['a.json.lock', 'a.json.deliver', 'a.json.12.new', 'a.json.lock.12.old']
  for (const name of leftOvers) place.touch(name, 1)
  place.touch('b.json.lock', 0)

  place.store.sweep(Date.now(), KEEP_MS)

  expect(place.names()).toEqual([nameOf('living'), nameOf('silent'), 'b.json.lock'].toSorted())
})

test('of the ended ones the oldest go once there are many, and none that lives (HD-22)', async () => {
  await using place = await createStore()
  for (let i = 0; i < 200; i += 1) place.write(`ended-${i}`, (i + 1) / 100, true)
  for (let i = 0; i < 100; i += 1) place.write(`living-${i}`, 5)

  place.store.sweep(Date.now(), KEEP_MS)

  const kept = place.names()
  expect(kept).toHaveLength(256)
  for (let i = 0; i < 100; i += 1) expect(kept).toContain(nameOf(`living-${i}`))
  for (let i = 0; i < 156; i += 1) expect(kept).toContain(nameOf(`ended-${i}`))
})

test('a place that is not there is swept without a word (HD-22)', async () => {
  await using dir = await createTempDir()

  new HookStore(readEnvironment(), dir.file('none', 'a.sock')).sweep(Date.now(), KEEP_MS)

  expect(readdirSync(dir.path)).toEqual([])
})

function nameOf(id: string): string {
  return HookStore.fileName('claude-code', id)
}

async function createStore() {
  const dir = await createTempDir()
  const store = new HookStore(readEnvironment(), dir.file('a.sock'))
  const age = (name: string, hours: number): void => {
    const at = new Date(Date.now() - hours * HOUR_MS)
    utimesSync(dir.file('hooks', name), at, at)
  }
  return {
    store,
    write(id: string, hours: number, isEnded = false): void {
      const state = { ...newHookState('claude-code', id, 1), ...(isEnded && { endedMs: 1 }) }
      store.update(nameOf(id), () => state)
      age(nameOf(id), hours)
    },
    touch(name: string, hours: number): void {
      writeFileSync(dir.file('hooks', name), '', { mode: 0o600 })
      age(name, hours)
    },
    names: () => readdirSync(dir.file('hooks')).toSorted(),
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  }
}
