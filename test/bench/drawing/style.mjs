/** How the plots look: on paper of their own, so that a dark page does not swallow them. */
import { element } from './svg.mjs'

export const PAPER = '#ffffff'
export const INK = '#1f2328'
export const PALE_INK = '#59636e'
export const RULE = '#d1d9e0'

/** Sizes of text, in pixels. */
export const SIZE = { title: 19, text: 13, tick: 12 }

/** Okabe and Ito's colours that stand out from white; every one has a shape of its own as well. */
const STYLES = [
  { colour: '#0072b2', shape: 'circle' },
  { colour: '#d55e00', shape: 'square' },
  { colour: '#009e73', shape: 'triangle' },
  { colour: '#cc79a7', shape: 'diamond' },
  { colour: '#e69f00', shape: 'wedge' },
  { colour: '#56b4e9', shape: 'bar' },
  { colour: '#4d4d4d', shape: 'column' },
]

/** Contenders look the same in every plot, whichever of them were there. */
const CONTENDERS = ['agentd', 'redis', 'nats']

/** Outlines around the origin. */
const SHAPES = {
  circle: 'M-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0-9 0Z',
  square: 'M-4-4h8v8h-8Z',
  triangle: 'M0-5.2L5 4H-5Z',
  diamond: 'M0-5.6L5 0L0 5.6L-5 0Z',
  wedge: 'M0 5.2L5-4H-5Z',
  bar: 'M-5.5-2.5h11v5h-11Z',
  column: 'M-2.5-5.5h5v11h-5Z',
}

/** The style of each name, in the order they come. @returns Map */
export function stylesOf(names) {
  return new Map(
    names.map((name, i) => {
      const fixed = CONTENDERS.indexOf(name)
      return [name, STYLES[(fixed === -1 ? i : fixed) % STYLES.length]]
    }),
  )
}

/** A mark around the origin; hollow where the offered load was not reached. */
export function mark({ colour, shape }, isHollow = false) {
  return element('path', {
    d: SHAPES[shape],
    fill: isHollow ? PAPER : colour,
    stroke: colour,
    'stroke-width': 1.5,
  })
}
