/** UI-02: the page while 500 items a second pass, beside the same page while nothing does (SEAT-34). */
import { withChromium } from '../support/chromium.mjs'
import { figureLine, ratioLine } from '../support/contest.mjs'
import { FRAMES_PER_SECOND, pageUnderLoad } from '../support/page-under-load.mjs'
import { median } from '../support/statistics.mjs'

const WHAT = `at ${FRAMES_PER_SECOND} items/s`

export const row = {
  id: 'UI-02',
  boundMs: 600_000,
  run: (context) =>
    withChromium(`the page ${WHAT}`, async (browser) => {
      const { samples, sent, arrived } = await pageUnderLoad(context, browser)
      const missing = figureLine({
        what: `items that did not come into the page, of ${sent}`,
        figure: sent - arrived,
        target: { atMost: 0 },
      })
      return [missing, ...['following', 'scrolled up'].flatMap((name) => linesOf(samples, name))]
    }),
}

function linesOf(samples, name) {
  const read = (of, member) => samples.get(of).map((sample) => sample[member])
  return [
    ratioLine({
      what: `frames painted ${WHAT}, ${name}`,
      unit: '/s',
      own: read(name, 'framesPerSecond'),
      peer: { name: 'idle', values: read('idle', 'framesPerSecond') },
      target: { atLeast: 0.85 },
    }),
    figureLine({
      what: `main thread busy ${WHAT}, ${name}`,
      unit: '%',
      figure: median(read(name, 'busyPercent')),
      target: { atMost: 50 },
    }),
    figureLine({
      what: `longest task ${WHAT}, ${name}`,
      unit: 'ms',
      figure: Math.max(...read(name, 'longestMs')),
      target: { atMost: 200 },
      note: 'shorter than 50 ms is told as 0',
    }),
  ]
}
