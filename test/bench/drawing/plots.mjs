/** Which plots there are, and from which row of a run each is drawn. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { drawFigure } from './figure.mjs'
import { seriesOf } from './series.mjs'

const CPU_PER_FRAME = 'server CPU per frame (µs)'

const PLOTS = [
  {
    file: 'fan-out.svg',
    row: 'S-01',
    title: 'Fan-out: one publisher, a window of 256 frames of 688 octets',
    panels: [
      {
        key: 'deliveries',
        title: 'Deliveries per second (higher is better)',
        x: 'subscribers',
        y: 'deliveries per second',
        scale: 'log',
      },
      {
        key: 'cpu',
        title: 'Cost of a delivery (lower is better)',
        x: 'subscribers',
        y: 'server CPU per delivery (µs)',
        scale: 'log',
      },
    ],
  },
  {
    file: 'latency.svg',
    row: 'S-02',
    title: 'Latency under load that does not wait, one subscriber',
    sharesY: true,
    panels: ['p50', 'p99'].map((key) => ({
      key,
      title: `${key}, from when a frame was due to its arrival`,
      x: 'offered load (frames per second)',
      y: `${key} latency (µs)`,
      scale: 'log',
    })),
  },
  {
    file: 'sessions.svg',
    row: 'S-03',
    title: 'Cost of a frame over idle subscriptions it is not for',
    panels: [
      {
        key: 'cpu',
        title: 'Server CPU per frame',
        x: 'idle subscriptions',
        y: CPU_PER_FRAME,
        scale: 'linear',
      },
      {
        key: 'time',
        title: 'Time per frame',
        x: 'idle subscriptions',
        y: 'time per frame (µs)',
        scale: 'linear',
      },
    ],
  },
  {
    file: 'ring.svg',
    row: 'S-04',
    title: 'Cost over the number of frames kept on the disk',
    panels: [
      { key: 'cpu', title: 'Accepting a frame', x: 'frames in the ring', y: CPU_PER_FRAME, scale: 'linear' },
      {
        key: 'time',
        title: 'Starting and looking back',
        x: 'frames in the ring',
        y: 'time (ms)',
        scale: 'log',
      },
    ],
  },
]

/**
 * Writes every plot that a run has the figures for.
 *
 * @returns `{path, reason}` of each; `reason` says why it was not written, and is undefined when it was
 */
export function writePlots(run, directory) {
  mkdirSync(directory, { recursive: true })
  return PLOTS.map((plot) => {
    const path = join(directory, plot.file)
    const panels = panelsOf(run, plot)
    if (panels.length === 0) return { path, reason: whyMissing(run, plot) }
    writeFileSync(path, drawPlot(run, plot, panels))
    return { path, reason: undefined }
  })
}

function panelsOf(run, { row, panels }) {
  const lines = run.lines.filter(({ id }) => id === row)
  return panels
    .map((spec) => ({ spec, series: seriesOf(lines, spec.key) }))
    .filter(({ series }) => series.size > 0)
}

function whyMissing(run, { row }) {
  const measured = run.rows.find((one) => one?.id === row)
  if (measured === undefined) return `the run has no row ${row}; measure it with --only ${row}`
  if (typeof measured.error === 'string')
    return `${row} could not be measured: ${measured.error.split('\n')[0]}`
  return `${row} has no points of a curve`
}

function drawPlot(run, { title, sharesY }, panels) {
  const { machine } = run
  const points = panels.flatMap(({ series }) => [...series.values()].flat())
  return drawFigure({
    title,
    sharesY,
    panels,
    subtitle: subtitleOf(run),
    labelOf: (name) => withVersion(machine, name),
    notes: [
      points.some(({ low, high }) => low !== high) &&
        'Bars span the rounds of the run; a mark is their median.',
      points.some(({ isMissed }) => isMissed) && 'A hollow mark: the offered load was not reached.',
    ].filter((note) => note !== false),
  })
}

/** When and where, so that nobody takes the figures for those of another machine. */
function subtitleOf({ at, scale, machine }) {
  return [
    machine.agentd,
    at.slice(0, 10),
    `${machine.cpu}, ${machine.cores} core${machine.cores === 1 ? '' : 's'}`,
    machine.pinned && 'server and client on a core each',
    `Node ${machine.node}`,
    scale === 'quick' && 'quick run',
  ].filter((part) => typeof part === 'string')
}

/** "redis" → "redis 7.0.15" */
function withVersion({ agentd, peers }, name) {
  return [agentd, ...peers].find((known) => known?.startsWith(`${name} `)) ?? name
}
