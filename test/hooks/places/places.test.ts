/** Where paths lead, on disks of which some hang (OP-10). */
import { describe, expect, test } from 'vitest'
import { LOOK_MS, MAX_LOOKS, MAX_SESSION_LOOKS, MAX_WAITING_LOOKS } from '../../../src/hooks/places/looks.ts'
import {
  GOOD_MS,
  HANGING_MS,
  MAX_ANSWERS,
  Places,
  type FileSystem,
  type FoundPlace,
} from '../../../src/hooks/places/places.ts'
import { DAEMON_THREADS, poolThreads } from '../../../src/host/process/threads.ts'
import { FakeClock } from '../../support/fake-clock.ts'

const CHECKOUT = { commonDir: '/r/.git', worktree: '/r', gitDir: '/r/.git', branch: 'main' }

/** Everything below `/r` is a file of a repository; below `/hung` the disk answers when it is mended. */
class Disk implements FileSystem {
  /** Paths that were looked at. */
  readonly asked: string[] = []
  /** Looks for a repository. */
  searches = 0
  #mend = (): void => {}
  readonly #mended = new Promise<void>((resolve) => {
    this.#mend = resolve
  })

  mend(): void {
    this.#mend()
  }

  async realPath(path: string): Promise<string> {
    this.asked.push(path)
    if (path.startsWith('/hung/')) await this.#mended
    if (path.startsWith('/closed/')) throw new Error('EACCES')
    return path.replace('/link/', '/r/')
  }

  findCheckout(path: string): Promise<typeof CHECKOUT | undefined> {
    this.searches += 1
    return Promise.resolve(path === '/r' || path.startsWith('/r/') ? CHECKOUT : undefined)
  }

  lookAt(path: string): Promise<'file' | 'directory' | undefined> {
    if (path.includes('missing')) return Promise.resolve(undefined)
    return Promise.resolve(/\.\w+$/.test(path) ? 'file' : 'directory')
  }
}

/** Everything that waits for nothing but promises has happened. */
function settled(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve))
}

class Bench {
  readonly clock = new FakeClock()
  readonly disk = new Disk()
  readonly places: Places

  constructor(threads = DAEMON_THREADS) {
    this.places = new Places({ clock: this.clock, threads, files: this.disk })
  }

  /** What is answered by now; `waits` where nothing is. */
  async now(found: Promise<FoundPlace | undefined>): Promise<FoundPlace | undefined | 'waits'> {
    await settled()
    return Promise.race([found, Promise.resolve('waits' as const)])
  }

  /** Asks for what hangs, by sessions that hold as many looks as they may. */
  async hang(looks: number): Promise<void> {
    for (let i = 0; i < looks; i += 1) {
      void this.places.find(`/hung/${i}.ts`, `stuck-${Math.floor(i / MAX_SESSION_LOOKS)}`)
    }
    await settled()
  }
}

const FOUND = { real: '/r/a.ts', isDirectory: false, isFile: true, checkout: CHECKOUT }

test('a path is told with its repository, without links (OP-10)', async () => {
  const { places } = new Bench()

  expect(await places.find('/link/a.ts', 's')).toEqual(FOUND)
  expect(await places.find('/r', 's')).toEqual({
    real: '/r',
    isDirectory: true,
    isFile: false,
    checkout: CHECKOUT,
  })
  expect(await places.find('/elsewhere/a.ts', 's')).toMatchObject({ checkout: undefined })
  expect(await places.find('/closed/a.ts', 's')).toBeUndefined()
})

describe('a disk that hangs', () => {
  test('is waited for a tenth of a second, by whoever asks (OP-10)', async () => {
    const bench = new Bench()
    const found = bench.places.find('/hung/a.ts', 's')

    bench.clock.advance(LOOK_MS - 1)
    const before = await bench.now(found)
    bench.clock.advance(1)

    expect(LOOK_MS).toBe(100)
    expect([before, await bench.now(found)]).toEqual(['waits', undefined])
  })

  test('delays no session but those that ask for it (OP-10)', async () => {
    const bench = new Bench()
    const stuck = bench.places.find('/hung/a.ts', 'stuck')

    const other = bench.places.find('/r/a.ts', 'other')
    const same = bench.places.find('/r/b.ts', 'stuck')

    expect(await bench.now(other)).toEqual(FOUND)
    expect(await bench.now(same)).toMatchObject({ real: '/r/b.ts' })
    expect(await bench.now(stuck)).toBe('waits')
  })

  test('is not asked again for what it did not answer, until it does (OP-10)', async () => {
    const bench = new Bench()
    void bench.places.find('/hung/a.ts', 'stuck')
    bench.clock.advance(LOOK_MS)

    const again = await bench.now(bench.places.find('/hung/a.ts', 'other'))
    bench.clock.advance(HANGING_MS)
    const muchLater = await bench.now(bench.places.find('/hung/a.ts', 'other'))
    bench.disk.mend()
    await settled()
    const mended = await bench.now(bench.places.find('/hung/a.ts', 'other'))

    expect([again, muchLater]).toEqual([undefined, undefined])
    expect(mended).toMatchObject({ real: '/hung/a.ts', isFile: true })
    expect(bench.disk.asked).toEqual(['/hung/a.ts'])
  })

  test('holds two looks of a session at most; a third is not made (OP-10)', async () => {
    const bench = new Bench()
    await bench.hang(MAX_SESSION_LOOKS)
    const { asked } = bench.disk
    const before = asked.length

    const third = await bench.now(bench.places.find('/r/a.ts', 'stuck-0'))
    const ofAnother = await bench.now(bench.places.find('/r/a.ts', 'other'))
    bench.disk.mend()
    await settled()

    expect(MAX_SESSION_LOOKS).toBe(2)
    expect(before).toBe(2)
    expect([third, ofAnother]).toEqual([undefined, FOUND])
    expect(await bench.now(bench.places.find('/r/b.ts', 'stuck-0'))).toMatchObject({ real: '/r/b.ts' })
  })

  test('that holds every look makes nobody wait, and leaves what is known (OP-10)', async () => {
    const bench = new Bench()
    await bench.hang(MAX_LOOKS)
    bench.clock.advance(LOOK_MS - GOOD_MS / 1_000)
    const early = bench.places.find('/r/a.ts', 'early')
    bench.clock.advance(LOOK_MS)

    const late = await bench.now(bench.places.find('/r/b.ts', 'late'))
    const unseen = [...bench.disk.asked]
    bench.disk.mend()
    await settled()

    // Who came while all of them might still have answered has waited its tenth of a second.
    expect(await bench.now(early)).toBeUndefined()
    expect(late).toBeUndefined()
    expect(unseen.filter((path) => !path.startsWith('/hung/'))).toEqual([])
    expect(await bench.now(bench.places.find('/r/a.ts', 'early'))).toEqual(FOUND)
  })
})

test.for([
  [DAEMON_THREADS, MAX_LOOKS],
  [4, 3],
  [1, 1],
] as const)('of %s threads, %s are held by looks at most (OP-10)', async ([threads, looks]) => {
  const bench = new Bench(threads)

  await bench.hang(MAX_LOOKS)

  expect(bench.disk.asked).toHaveLength(looks)
})

test('there are as many threads as Node was told at its start, and four otherwise (OP-10)', () => {
  const threads = [undefined, '16', '0', 'many', '100000'].map((said) =>
    poolThreads({ env: said === undefined ? {} : { UV_THREADPOOL_SIZE: said } }),
  )

  expect(threads).toEqual([4, 16, 1, 1, 1_024])
})

describe('more looks at once than there may be', () => {
  test('come one after the other, and each is answered (OP-10)', async () => {
    const bench = new Bench()
    await bench.hang(MAX_LOOKS - 1)
    const paths = Array.from({ length: 3 * MAX_LOOKS }, (_, i) => `/r/${i}.ts`)

    const found = paths.map((path, i) => bench.places.find(path, `session-${i}`))
    const atOnce = bench.disk.asked.filter((path) => path.startsWith('/r/')).length

    expect(atOnce).toBe(1)
    const reals = await Promise.all(found.map(async (one) => (await one)?.real))
    expect(reals).toEqual(paths)
  })

  test('wait within bounds: what is beyond them is not looked for (OP-10)', async () => {
    const bench = new Bench()
    await bench.hang(MAX_LOOKS)
    const waiting = Array.from({ length: MAX_WAITING_LOOKS }, (_, i) =>
      bench.places.find(`/r/${i}.ts`, `session-${i}`),
    )

    const beyond = await bench.now(bench.places.find('/r/beyond.ts', 'beyond'))
    const [first] = waiting
    const during = first && (await bench.now(first))
    bench.disk.mend()

    expect([beyond, during]).toEqual([undefined, 'waits'])
    expect(await Promise.all(waiting)).not.toContain(undefined)
  })
})

describe('an answer', () => {
  test('is remembered for some seconds, and asked for by many at once (OP-10)', async () => {
    const { clock, disk, places } = new Bench()

    await Promise.all(Array.from({ length: 3 * MAX_LOOKS }, (_, i) => places.find('/r/a.ts', `s${i}`)))
    clock.advance(GOOD_MS - 1)
    await places.find('/r/a.ts', 's')
    const before = disk.asked.length
    clock.advance(1)
    await places.find('/r/a.ts', 's')

    expect([before, disk.asked.length]).toEqual([1, 2])
  })

  test('of one file tells the repository of those beside it (OP-10)', async () => {
    const { disk, places } = new Bench()

    for (const name of ['a', 'b', 'c']) {
      // oxlint-disable-next-line eslint/no-await-in-loop
      expect(await places.find(`/r/${name}.ts`, 's')).toMatchObject({ checkout: CHECKOUT })
    }

    expect(disk.searches).toBe(1)
  })

  test('of a file that is not there yet does not make its folder be there (OP-10)', async () => {
    const { places } = new Bench()

    await places.find('/r/missing/new.ts', 's')

    expect(await places.isThere('/r/missing', 's')).toBe(false)
    expect(await places.isThere('/r', 's')).toBe(true)
  })

  test('is forgotten when there are too many, the oldest first (OP-10)', async () => {
    const { disk, places } = new Bench()

    for (let i = 0; i <= MAX_ANSWERS; i += 1) {
      // oxlint-disable-next-line eslint/no-await-in-loop
      await places.find(`/r/${i}`, 's')
    }
    const before = disk.asked.length

    await places.find(`/r/${MAX_ANSWERS}`, 's')
    const newest = disk.asked.length - before
    await places.find('/r/0', 's')

    expect([newest, disk.asked.length - before]).toEqual([0, 1])
  })
})
