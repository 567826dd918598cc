/**
 * Colours, for a terminal only.
 *
 * @see https://no-color.org
 */

/** What a stretch of text is; a plain palette leaves it as it is. */
export interface Palette {
  readonly bold: (text: string) => string
  readonly dim: (text: string) => string
  readonly red: (text: string) => string
  readonly green: (text: string) => string
  readonly yellow: (text: string) => string
  readonly magenta: (text: string) => string
  readonly cyan: (text: string) => string
}

/** Select graphic rendition: what begins and what ends each style (ECMA-48). */
const CODES: Readonly<Record<keyof Palette, readonly [number, number]>> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  magenta: [35, 39],
  cyan: [36, 39],
}

/** No colour at all. */
export const PLAIN: Palette = paletteOf(() => (text) => text)

/** The eight colours every terminal has. */
const COLOURED: Palette = paletteOf((style) => {
  const [on, off] = CODES[style]
  return (text) => `\u001b[${on}m${text}\u001b[${off}m`
})

/** Colours where they can be seen and nobody has said no. */
export function paletteFor(isTerminal: boolean, env: Readonly<Record<string, string | undefined>>): Palette {
  return isTerminal && !env['NO_COLOR'] && env['TERM'] !== 'dumb' ? COLOURED : PLAIN
}

function paletteOf(painter: (style: keyof Palette) => (text: string) => string): Palette {
  return {
    bold: painter('bold'),
    dim: painter('dim'),
    red: painter('red'),
    green: painter('green'),
    yellow: painter('yellow'),
    magenta: painter('magenta'),
    cyan: painter('cyan'),
  }
}
