/**
 * Colours: on a terminal, or where they are asked for.
 *
 * @see https://no-color.org, https://force-color.org, https://bixense.com/clicolors
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

/** Colours where they can be seen, or were asked for, and nobody has said no. */
export function paletteFor(isTerminal: boolean, env: Readonly<Record<string, string | undefined>>): Palette {
  return wantsColours(isTerminal, env) ? COLOURED : PLAIN
}

/** Who says no is heard first, then who insists; an empty variable says nothing. */
function wantsColours(isTerminal: boolean, env: Readonly<Record<string, string | undefined>>): boolean {
  if (env['NO_COLOR']) return false
  const insists = env['FORCE_COLOR'] || env['CLICOLOR_FORCE']
  if (insists) return insists !== '0' && insists !== 'false'
  return isTerminal && env['CLICOLOR'] !== '0' && env['TERM'] !== 'dumb'
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
