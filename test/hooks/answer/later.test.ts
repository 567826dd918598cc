/** What time changes: the desk over a real broker, with the clock in the test's hand. */
import { setImmediate } from 'node:timers/promises'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readEnvironment } from '../../../src/host/config/paths.ts'
import { ANSWER_MS, HookDesk } from '../../../src/hooks/desk.ts'
import { GOOD_MS, type FileSystem } from '../../../src/hooks/places/places.ts'
import { LOOK_MS } from '../../../src/hooks/places/looks.ts'
import { forgetfulRecords } from '../../../src/hooks/memory/hook-records.ts'
import { OWN_WORK } from '../../../src/broker/ring/background.ts'
import { frameOf } from '../../../src/broker/ring/retained.ts'
import { parseFilter } from '../../../src/protocol/frame/filter.ts'
import { COALESCE_MS, SHOWN_MS } from '../../../src/runtimes/events/budget.ts'
import { Workbench } from '../../broker/workbench.ts'
import { payloadOf, type Payload } from '../../runtimes/support/fixtures.ts'
import { createCheckout, type Checkout } from '../../runtimes/support/sessions.ts'

class DeskBench implements AsyncDisposable {
  readonly checkout: Checkout
  readonly bench = new Workbench()
  readonly #desk: HookDesk
  #calls = 0

  constructor(checkout: Checkout, settings: object, files?: FileSystem) {
    this.checkout = checkout
    const config = checkout.dir.file('config.json')
    writeFileSync(config, JSON.stringify({ hooks: settings }), { mode: 0o600 })
    this.#desk = new HookDesk({
      broker: this.bench.broker,
      clock: this.bench.clock,
      environment: { ...readEnvironment(), env: { AGENTD_CONFIG: config, UV_THREADPOOL_SIZE: '16' } },
      files,
      records: forgetfulRecords,
      socketPath: checkout.dir.file('agentd.sock'),
      debug: undefined,
    })
  }

  /** What the hook of an event prints, as an object; empty for nothing. */
  // oxlint-disable-next-line typescript/no-explicit-any
  async hook(runtime: string, session_id: string, name: string, changes: Payload = {}): Promise<any> {
    this.#calls += 1
    const ids =
      runtime === 'claude-code' ? { tool_use_id: `t${this.#calls}`, prompt_id: `p${this.#calls}` } : {}
    const more = { session_id, cwd: this.checkout.main, ...ids, ...changes }
    const payload = Buffer.from(JSON.stringify(payloadOf(runtime, name, more)))
    const answering = this.#desk.answer({ runtime, payload, surroundings: undefined, peerPid: undefined })
    const reply = await this.#ended(answering)
    reply?.written()
    return reply === undefined ? {} : JSON.parse(reply.text)
  }

  edit(session: string, name: 'before-tool' | 'after-edit', file: string): Promise<unknown> {
    return this.hook('claude-code', session, name, { tool_name: 'Edit', tool_input: { file_path: file } })
  }

  /** Everything that waits for nothing but promises and the broker has happened. */
  async idle(): Promise<void> {
    for (let i = 0; i < 20; i += 1) {
      this.bench.turn()
      // oxlint-disable-next-line eslint/no-await-in-loop
      await setImmediate()
    }
  }

  /** How often a file was announced. */
  async announced(file: string): Promise<number> {
    const reading = this.bench.broker.readHistory({
      afterSeq: undefined,
      limit: 100,
      search: { filter: parseFilter('kind:agent_advisory'), handle: undefined, withEnvelopes: false },
      asker: OWN_WORK,
      admits: () => true,
    })
    const page = await this.#ended(reading)
    const frames = page.frames.flatMap((one) => (one.type === 'frame' ? [frameOf(one)] : []))
    return frames.filter(
      (frame) => frame.kind === 'agent_advisory' && frame.payload.file_refs?.includes(file),
    ).length
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#desk.close()
    await this.checkout[Symbol.asyncDispose]()
  }

  /** Lets turns of the broker end until something is over. */
  async #ended<T>(work: Promise<T>): Promise<T> {
    const state = { isOver: false }
    void work.finally(() => {
      state.isOver = true
    })
    for (; !state.isOver; await setImmediate()) this.bench.turn()
    return work
  }
}

async function open(settings: object = {}): Promise<DeskBench> {
  return new DeskBench(await createCheckout(), settings)
}

function patch(file: string, call: string): Payload {
  const command = `apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: ${file}\n*** End Patch\nEOF`
  return { tool_name: 'Bash', tool_input: { command }, tool_use_id: call }
}

test('a file is announced again when it is written a minute later (PD-06)', async () => {
  await using desk = await open()
  await desk.hook('claude-code', 's', 'session-start')
  const counts: number[] = []

  for (const restMs of [0, COALESCE_MS - 1, 1]) {
    desk.bench.clock.advance(restMs)
    // oxlint-disable-next-line eslint/no-await-in-loop
    await desk.edit('s', 'after-edit', 'src/auth.ts')
    // oxlint-disable-next-line eslint/no-await-in-loop
    counts.push(await desk.announced('src/auth.ts'))
  }

  expect(counts).toEqual([1, 1, 2])
})

test('a patch that was announced before is not announced behind it, however long the shell took', async () => {
  await using desk = await open()
  await desk.hook('codex', 's', 'session-start')

  await desk.hook('codex', 's', 'before-tool', patch('src/patched.ts', 'c1'))
  desk.bench.clock.advance(2 * COALESCE_MS)
  await desk.hook('codex', 's', 'after-tool', patch('src/patched.ts', 'c1'))
  const once = await desk.announced('src/patched.ts')
  await desk.hook('codex', 's', 'before-tool', patch('src/patched.ts', 'c2'))

  expect([once, await desk.announced('src/patched.ts')]).toEqual([1, 2])
})

test('a conflict that was shown is shown again after ten minutes (PD-06)', async () => {
  await using desk = await open()
  for (const session of ['one', 'two']) {
    // oxlint-disable-next-line eslint/no-await-in-loop
    await desk.hook('claude-code', session, 'session-start')
  }
  await desk.edit('one', 'after-edit', 'src/auth.ts')
  const told: boolean[] = []

  for (const restMs of [0, SHOWN_MS - 1, 1]) {
    desk.bench.clock.advance(restMs)
    // oxlint-disable-next-line eslint/no-await-in-loop
    told.push(JSON.stringify(await desk.edit('two', 'before-tool', 'src/auth.ts')).includes('announced work'))
  }

  expect(told).toEqual([true, false, true])
})

test('what was asked once is asked again where the answer was ten minutes in coming (OP-21)', async () => {
  await using desk = await open({ conflict: 'ask-once' })
  for (const session of ['one', 'two']) {
    // oxlint-disable-next-line eslint/no-await-in-loop
    await desk.hook('claude-code', session, 'session-start')
  }
  // A lease of an hour: an announcement alone holds nobody back for so long.
  const holder = desk.bench.session('codex', 'holder', { worktree: desk.checkout.main })
  desk.bench.publish({
    from: holder,
    kind: 'agent_lock_request',
    frame: {
      payload: {
        resource: 'src/auth.ts',
        lease_id: '8f4e1c9a-0000-4000-8000-00000000000a',
        ttl_ms: 3_600_000,
      },
    },
  })
  const denied: boolean[] = []

  for (const restMs of [0, 599_999, 600_000, 0]) {
    desk.bench.clock.advance(restMs)
    // oxlint-disable-next-line eslint/no-await-in-loop
    denied.push(JSON.stringify(await desk.edit('two', 'before-tool', 'src/auth.ts')).includes('"deny"'))
  }

  expect(denied).toEqual([true, false, true, false])
})

/** One repository, on a disk that answers when the test says so. */
class SlowDisk implements FileSystem {
  readonly #checkout: Checkout
  #answering: Promise<void> = Promise.resolve()
  #answer = (): void => {}

  constructor(checkout: Checkout) {
    this.#checkout = checkout
  }

  async realPath(path: string): Promise<string> {
    await this.#answering
    return path
  }

  lookAt(path: string): Promise<'file' | 'directory'> {
    return Promise.resolve(path.endsWith('.ts') ? 'file' : 'directory')
  }

  findCheckout(): ReturnType<FileSystem['findCheckout']> {
    const { main } = this.#checkout
    const gitDir = join(main, '.git')
    return Promise.resolve({ commonDir: gitDir, worktree: main, gitDir, branch: 'main' })
  }

  /** From now on nothing is answered. */
  hang(): void {
    this.#answering = new Promise((resolve) => {
      this.#answer = resolve
    })
  }

  /** Everything that was asked is. */
  mend(): void {
    this.#answer()
  }
}

test('a session whose disk was slow at its start is placed with its next event (OP-10)', async () => {
  const checkout = await createCheckout()
  const disk = new SlowDisk(checkout)
  await using desk = new DeskBench(checkout, {}, disk)
  await desk.hook('claude-code', 'near', 'session-start')
  const placeOf = (): unknown => {
    const facts = desk.bench.broker.sessions.find('~alice/cc-agent@slow')?.facts
    return [facts?.repository, facts?.worktree, facts?.title]
  }
  const { main } = desk.checkout
  disk.hang()
  // Another directory than the one that is known already.
  const cwd = join(main, 'src')
  const starting = desk.hook('claude-code', 'slow', 'session-start', { cwd, session_title: 'api' })
  await desk.idle()
  desk.bench.clock.advance(LOOK_MS)
  await starting
  const atFirst = placeOf()
  await desk.hook('claude-code', 'slow', 'after-tool', { cwd })
  const meanwhile = placeOf()

  disk.mend()
  await desk.idle()
  await desk.hook('claude-code', 'slow', 'after-tool', { cwd })

  expect([atFirst, meanwhile]).toEqual([
    [undefined, cwd, 'api'],
    [undefined, cwd, 'api'],
  ])
  expect(placeOf()).toEqual([join(main, '.git'), main, 'api'])
})

test('a session on a disk that hangs is answered in time, and delays no other (OP-01, OP-10)', async () => {
  const checkout = await createCheckout()
  const disk = new SlowDisk(checkout)
  await using desk = new DeskBench(checkout, {}, disk)
  for (const session of ['stuck', 'other']) {
    // oxlint-disable-next-line eslint/no-await-in-loop
    await desk.hook('claude-code', session, 'session-start')
  }
  disk.hang()

  const state = { isOver: false }
  const stuck = desk.edit('stuck', 'after-edit', 'src/new.ts').finally(() => {
    state.isOver = true
  })
  await desk.hook('claude-code', 'other', 'prompt')
  const before = state.isOver
  desk.bench.clock.advance(ANSWER_MS)
  await stuck

  expect(before).toBe(false)
  expect(LOOK_MS).toBeLessThan(ANSWER_MS)
})

test.for([
  ['ask-once', true],
  ['deny', true],
  ['show', false],
] as const)(
  'with "%s" and a disk that is late, a file that somebody holds is taken by its name: held back %s (OP-10, OP-21)',
  async ([conflict, isHeld]) => {
    const checkout = await createCheckout()
    const disk = new SlowDisk(checkout)
    await using desk = new DeskBench(checkout, { conflict }, disk)
    for (const session of ['one', 'two']) await desk.hook('claude-code', session, 'session-start')
    await desk.edit('one', 'after-edit', 'src/a.ts')
    // What was looked up before is no longer good.
    desk.bench.clock.advance(GOOD_MS)
    disk.hang()
    const tryIt = async (file: string): Promise<unknown> => {
      const trying = desk.edit('two', 'before-tool', file)
      await desk.idle()
      desk.bench.clock.advance(LOOK_MS)
      return trying
    }

    const held = { hookSpecificOutput: { permissionDecision: 'deny' } }
    if (isHeld) expect(await tryIt('src/a.ts')).toMatchObject(held)
    else expect(await tryIt('src/a.ts')).toEqual({})
    expect(await tryIt('src/b.ts')).toEqual({})
    expect(await tryIt('../elsewhere/src/a.ts')).toEqual({})
    if (conflict === 'ask-once') expect(await tryIt('src/a.ts')).not.toMatchObject(held)
  },
)
