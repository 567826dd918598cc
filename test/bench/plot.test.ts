/**
 * The bench as a reader of what it wrote itself: the plots it draws, and the files it refuses.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { expectWellFormed } from '../support/well-formed.ts'
import { createTempDir, type TempDir } from '../support/temp-dir.ts'

const BENCH = new URL('main.mjs', import.meta.url).pathname

const FILES = ['fan-out.svg', 'latency.svg', 'sessions.svg', 'ring.svg']

interface Point {
  readonly panel: string
  readonly x: number
  readonly series?: string
  readonly missed?: readonly string[]
}

/** A line of a curve, with a peer where its figure is given. */
function line(id: string, figure: number, point: Point, peerFigure?: number): object {
  const peer = peerFigure === undefined ? { peer: null } : { peer: 'redis', peerFigure }
  return { id, what: `${id} at ${point.x}`, unit: 'µs', figure, own: [figure * 0.9, figure], ...peer, point }
}

const LINES = [
  line('S-01', 50_000, { panel: 'deliveries', x: 1 }, 600_000),
  line('S-01', 2_000_000, { panel: 'deliveries', x: 100 }, 3_000_000),
  line('S-01', 20, { panel: 'cpu', x: 1 }, 0.9),
  line('S-01', 0.3, { panel: 'cpu', x: 100 }, 0.2),
  line('S-02', 90, { panel: 'p50', x: 1_000 }, 40),
  line('S-02', 90_000, { panel: 'p50', x: 40_000, missed: ['agentd'] }, 45),
  line('S-03', 20, { panel: 'cpu', x: 10, series: 'to one session' }),
  line('S-03', 23, { panel: 'cpu', x: 10_000, series: 'to one session' }),
  line('S-04', 250, { panel: 'time', x: 100_000, series: 'start <now> & "then"' }),
]

const RUN = {
  at: '2026-11-20T11:09:45.243Z',
  scale: 'quick',
  machine: {
    agentd: 'agentd 0.1.0',
    node: 'v20.20.2',
    cores: 2,
    cpu: 'A <b>& "quoted" \u0007 core',
    pinned: null,
    peers: ['redis 7.0.15', 'nats-server: not installed'],
  },
  lines: LINES,
  rows: ['S-01', 'S-02', 'S-03', 'S-04'].map((id) => ({ id, error: null })),
}

/** Runs the bench on files only; nothing is measured. */
function bench(...args: readonly string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, [BENCH, ...args], { encoding: 'utf8', timeout: 15_000 })
}

/** Draws a run. @returns what the bench said, and the text of each plot it wrote */
function plot(dir: TempDir, run: object): ReturnType<typeof bench> & { svg: (file: string) => string } {
  writeFileSync(dir.file('run.json'), JSON.stringify(run))
  const said = bench('--plot', dir.file('run.json'), '--to', dir.file('plots'))
  return { ...said, svg: (file) => readFileSync(dir.file('plots', file), 'utf8') }
}

/** Every tag is closed by its own, every attribute is quoted, and nothing else looks like markup. */
interface Place {
  readonly value: number
  readonly at: number
}

const TICK =
  /<g class="tick" data-axis="([xy])" transform="translate\((\S+) (\S+)\)">(?:<path[^>]*>)*<text[^>]*>([^<]+)</g

/** "20k" → 20 000 */
function readLabel(label: string): number {
  return Number(label.replace('k', 'e3').replace('M', 'e6'))
}

/** Where the plot puts a value of one axis, according to what stands at the outermost ticks of a panel. */
function readAxis(
  panel: string,
  axis: 'x' | 'y',
  measure: (value: number) => number,
): (value: number) => number {
  const ticks: Place[] = [...panel.matchAll(TICK)]
    .filter(([, name]) => name === axis)
    .map(([, , x, y, label = '']) => ({ value: readLabel(label), at: Number(axis === 'x' ? x : y) }))
  const [first, last] = [ticks[0]!, ticks.at(-1)!]
  const perUnit = (last.at - first.at) / (measure(last.value) - measure(first.value))
  return (value) => first.at + (measure(value) - measure(first.value)) * perUnit
}

function pointsOf(panel: string): { x: Place; y: Place }[] {
  const point = /<g class="point" data-x="([^"]+)" data-y="([^"]+)" transform="translate\((\S+) (\S+)\)">/g
  return [...panel.matchAll(point)].map(([, x, y, left, top]) => ({
    x: { value: Number(x), at: Number(left) },
    y: { value: Number(y), at: Number(top) },
  }))
}

test('a run with every curve gives four plots of well-formed XML', async () => {
  await using dir = await createTempDir()

  const { status, stdout, svg } = plot(dir, RUN)

  expect(status).toBe(0)
  expect(stdout.trim().split('\n')).toEqual(FILES.map((file) => dir.file('plots', file)))
  for (const file of FILES) expectWellFormed(svg(file))
})

test('a point lies where the ticks of its axes say', async () => {
  await using dir = await createTempDir()

  const { svg } = plot(dir, RUN)
  const panels = [
    ...svg('fan-out.svg')
      .split('<g class="panel"')
      .slice(1)
      .map((text) => ({ text, y: Math.log10, points: 4 })),
    { text: svg('sessions.svg'), y: Number, points: 2 },
  ]

  expect(panels).toHaveLength(3)
  for (const { text, y, points } of panels) {
    const [placeX, placeY] = [readAxis(text, 'x', Math.log10), readAxis(text, 'y', y)]
    expect(pointsOf(text)).toHaveLength(points)
    for (const point of pointsOf(text)) {
      expect(point.x.at).toBeCloseTo(placeX(point.x.value), 1)
      expect(point.y.at).toBeCloseTo(placeY(point.y.value), 1)
    }
  }
  expect(pointsOf(panels[0]!.text).map((point) => point.y.value)).toContain(2_000_000)
})

test('the legend names contenders with their versions, and the subtitle says when and where', async () => {
  await using dir = await createTempDir()

  const text = plot(dir, RUN).svg('fan-out.svg')

  for (const words of [
    'agentd 0.1.0',
    'redis 7.0.15',
    '2026-11-20',
    '2 cores',
    'Node v20.20.2',
    'quick run',
  ]) {
    expect(text).toContain(words)
  }
})

test('text of a run never becomes markup', async () => {
  await using dir = await createTempDir()

  const { svg } = plot(dir, RUN)

  expect(svg('ring.svg')).toContain('start &lt;now&gt; &amp; &quot;then&quot;')
  expect(svg('ring.svg')).toContain('A &lt;b&gt;&amp; &quot;quoted&quot; \uFFFD core, 2 cores')
})

test('a load that was not reached is drawn hollow and said so', async () => {
  await using dir = await createTempDir()

  const { svg } = plot(dir, RUN)

  expect(svg('latency.svg')).toContain('the offered load was not reached')
  expect(svg('latency.svg').match(/fill="#ffffff" stroke="#0072b2"/g)).toHaveLength(1)
  expect(svg('fan-out.svg')).not.toContain('not reached')
})

test('a plot whose row is missing or failed is not written, and the reason is told', async () => {
  await using dir = await createTempDir()
  const rows = [
    { id: 'S-01', error: null },
    { id: 'S-04', error: 'Error: the disk is full\n    at fill' },
  ]

  const { status, stdout } = plot(dir, { ...RUN, rows, lines: LINES.slice(0, 2) })

  expect(status).toBe(0)
  expect(stdout).toContain('latency.svg is not written: the run has no row S-02')
  expect(stdout).toContain('ring.svg is not written: S-04 could not be measured: Error: the disk is full\n')
  expect(FILES.map((file) => existsSync(dir.file('plots', file)))).toEqual([true, false, false, false])
})

test('a run without any curve is told by the exit code as well', async () => {
  await using dir = await createTempDir()

  expect(plot(dir, { ...RUN, rows: [], lines: [] }).status).toBe(1)
})

test('a file that is no run is refused with a sentence and exit code 2', async () => {
  await using dir = await createTempDir()
  writeFileSync(dir.file('text'), 'P-01 …')
  writeFileSync(dir.file('other.json'), '{"name": "agentd-bus"}')
  writeFileSync(dir.file('run.json'), JSON.stringify(RUN))
  const refused = [
    ['--plot', dir.file('absent.json')],
    ['--plot', dir.file('text')],
    ['--plot', dir.file('other.json')],
    ['--compare', dir.file('run.json'), dir.file('other.json')],
    ['--compare', dir.file('run.json')],
    ['--plot'],
    ['--to', dir.path],
  ]

  for (const args of refused) {
    const { status, stdout, stderr } = bench(...args)
    expect(status, args.join(' ')).toBe(2)
    expect(stdout).toBe('')
    expect(stderr).toMatch(/^bench: .+\n$/)
  }
  expect(bench('--plot', dir.file('other.json')).stderr).toContain('is no run that --json wrote')
})

test('two runs are compared line by line', async () => {
  await using dir = await createTempDir()
  writeFileSync(dir.file('run.json'), JSON.stringify(RUN))

  const { status, stdout } = bench('--compare', dir.file('run.json'), dir.file('run.json'))

  expect(status).toBe(0)
  expect(stdout).toContain('0.0 %')
})
