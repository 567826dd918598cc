/** `agentd tail --exec`: real processes, and each bound crossed by one. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import {
  CommandQueue,
  FINISH_MS,
  KILL_AFTER_MS,
  MAX_RUN_MS,
  MAX_WAITING,
  MAX_WAITING_OCTETS,
} from '../../../src/cli/reaction/command-queue.ts'
import { processStartTime } from '../../../src/host/process/processes.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { createTempDir, type TempDir } from '../../support/temp-dir.ts'
import { within } from '../../support/within.ts'

let dir: TempDir
beforeEach(async () => (dir = await createTempDir()))
afterEach(async () => {
  // What a test that failed has left running ends by it.
  letGo()
  await Promise.all(queues.splice(0).map((queue) => queue.finish()))
  await dir[Symbol.asyncDispose]()
})

const queues: CommandQueue[] = []
const letGo = (): void => writeFileSync(dir.file('go'), '')

/** A queue of shell lines, which find the test's folder in `$DIR`. */
function queueOf(line: string, jobs = 1) {
  const said: string[] = []
  const clock = new FakeClock()
  const env = { PATH: process.env['PATH'], DIR: dir.path }
  const complain = (sentence: string): void => void said.push(sentence)
  const queue = new CommandQueue({ command: ['sh', '-c', line], env, jobs, clock, complain })
  queues.push(queue)
  return { queue, clock, said }
}

const task = (text: string) => ({
  label: `advisory of ${text}`,
  facts: { AGENTD_ITEM_ID: text },
  input: `${text}\n`,
})
const read = (name: string): string =>
  existsSync(dir.file(name)) ? readFileSync(dir.file(name), 'utf8') : ''
const untilRead = (name: string, text: string): Promise<void> =>
  vi.waitFor(() => expect(read(name)).toBe(text), 15_000)
const untilIdle = (queue: CommandQueue): Promise<void> =>
  vi.waitFor(() => expect(queue.running).toBe(0), 15_000)

/** Says that it runs, and runs until there is the file `go`. */
const UNTIL_GO = `echo "$AGENTD_ITEM_ID" >>"$DIR/begun"; while [ ! -e "$DIR/go" ]; do sleep 0.02; done`

test('each item has a process with its text on stdin and its facts in variables, one after the other', async () => {
  const { queue, said } = queueOf('read -r line; echo "$AGENTD_ITEM_ID:$line" >>"$DIR/out"')
  for (const text of ['one', 'two', 'three']) queue.take(task(text))

  await untilRead('out', 'one:one\ntwo:two\nthree:three\n')
  await untilIdle(queue)
  expect(said).toEqual([])
})

test('as many run at a time as was asked for, and one more waits', async () => {
  const { queue } = queueOf(UNTIL_GO, 2)
  for (const text of ['one', 'two', 'three']) queue.take(task(text))

  await vi.waitFor(() => expect(read('begun').split('\n')).toHaveLength(3), 15_000)
  expect(queue.running).toBe(2)
  letGo()
  await vi.waitFor(() => expect(read('begun')).toContain('three'), 15_000)
  await untilIdle(queue)
})

test('a command that fails, or is killed, is told, and the next one runs all the same', async () => {
  const { queue, said } = queueOf(
    'case $AGENTD_ITEM_ID in one) exit 3;; two) kill -9 $$;; *) echo ok >"$DIR/out";; esac',
  )
  for (const text of ['one', 'two', 'three']) queue.take(task(text))

  await untilRead('out', 'ok\n')
  expect(said).toEqual([
    '"sh" ended with exit code 3, for the advisory of one.',
    '"sh" was ended by SIGKILL, for the advisory of two.',
  ])
})

test('a program that has gone meanwhile is told, and ends nothing', async () => {
  const { said } = queueOf('')
  const queue = new CommandQueue({
    command: [dir.file('gone')],
    env: {},
    jobs: 1,
    clock: new FakeClock(),
    complain: (sentence) => void said.push(sentence),
  })
  queue.take(task('one'))
  queue.take(task('two'))

  await vi.waitFor(() => expect(said).toHaveLength(2), 15_000)
  expect(said[0]).toBe(`"${dir.file('gone')}" cannot be started (ENOENT), for the advisory of one.`)
})

test('a command that does not read its stdin, of however much, is none the worse for it', async () => {
  const { queue, said } = queueOf('exec <&-; echo done >>"$DIR/out"')
  for (const text of ['one', 'two']) queue.take({ ...task(text), input: 'x'.repeat(1_024 * 1_024) })

  await untilRead('out', 'done\ndone\n')
  await untilIdle(queue)
  expect(said).toEqual([])
})

test('one item more than may wait has no command, which is told when it begins and when there is room again', async () => {
  const { queue, said } = queueOf(UNTIL_GO)
  for (let at = 0; at <= MAX_WAITING; at += 1) queue.take(task(`${at}`))
  expect(said).toEqual([])

  queue.take(task('first too many'))
  queue.take(task('second too many'))
  letGo()
  await vi.waitFor(() => {
    queue.take(task('later'))
    expect(said.length).toBeGreaterThan(1)
  }, 15_000)

  expect(said[0]).toBe(
    `${MAX_WAITING} items wait for "sh" already; what passes until there is room has no command.`,
  )
  expect(said[1]).toMatch(/^\d+ items had no command\.$/)
  await queue.finish()
  expect(read('begun')).not.toContain('too many')
})

test('one octet more than may wait has no command either; alone it would', async () => {
  const { queue, said } = queueOf(UNTIL_GO)
  const half = { ...task('half'), input: 'x'.repeat(MAX_WAITING_OCTETS / 2) }
  for (let at = 0; at < 3; at += 1) queue.take(half)
  expect(said).toEqual([])

  queue.take({ ...task('one'), input: 'x' })

  expect(said).toHaveLength(1)
  letGo()
  await queue.finish()
})

test('at the end what runs is waited for and what waits is dropped, and told', async () => {
  const { queue, said, clock } = queueOf(`${UNTIL_GO}; echo done >>"$DIR/out"`)
  for (const text of ['one', 'two', 'three']) queue.take(task(text))
  await untilRead('begun', 'one\n')

  const finished = queue.finish()
  queue.take(task('too late'))
  clock.advance(FINISH_MS - 1)
  letGo()
  await within(finished, 'the end of the one that runs', 15_000)

  expect(read('out')).toBe('done\n')
  expect(said).toEqual(['2 items that waited for "sh" had no command begun.'])
})

test('one that is not done in time is ended, with what it has started, and killed where it does not heed that', async () => {
  const { queue, said, clock } = queueOf(
    `trap '' TERM; sh -c 'echo $$ >"$DIR/child"; while :; do sleep 0.1; done' & ${UNTIL_GO}`,
  )
  queue.take(task('one'))
  await untilRead('begun', 'one\n')
  await vi.waitFor(() => expect(read('child')).toMatch(/\n$/), 15_000)
  const child = Number(read('child'))
  expect(processStartTime(child)).toBeDefined()

  const finished = queue.finish()
  clock.advance(FINISH_MS)
  expect(queue.running).toBe(1)
  clock.advance(KILL_AFTER_MS)
  await within(finished, 'the end of it', 15_000)

  await vi.waitFor(() => expect(processStartTime(child)).toBeUndefined(), 15_000)
  expect(said).toEqual([
    '"sh" was ended by SIGKILL (it was not done when tail ended), for the advisory of one.',
  ])
})

test('one that runs for more than an hour is ended, and the next one begins', async () => {
  const { queue, said, clock } = queueOf(UNTIL_GO)
  queue.take(task('one'))
  queue.take(task('two'))
  await untilRead('begun', 'one\n')

  clock.advance(MAX_RUN_MS)

  await untilRead('begun', 'one\ntwo\n')
  expect(said).toEqual(['"sh" was ended by SIGTERM (it ran for more than an hour), for the advisory of one.'])
  letGo()
  await untilIdle(queue)
  expect(clock.pendingTimers).toBe(0)
})
