import { expect, test } from 'vitest'
import { paletteFor } from '../../../src/core/display/palette.ts'

const TERM = 'xterm-256color'

const isColoured = (isTerminal: boolean, env: Readonly<Record<string, string>>): boolean =>
  paletteFor(isTerminal, env).red('x') !== 'x'

test.each([
  [true, {}, true],
  [false, {}, false],
  [true, { TERM: 'dumb' }, false],
  [true, { NO_COLOR: '1' }, false],
  [true, { NO_COLOR: '' }, true],
  [true, { CLICOLOR: '0' }, false],
  [false, { CLICOLOR: '1' }, false],
  [false, { FORCE_COLOR: '1' }, true],
  [false, { CLICOLOR_FORCE: '1' }, true],
  [true, { FORCE_COLOR: '0' }, false],
  [true, { CLICOLOR_FORCE: '0' }, false],
  [false, { FORCE_COLOR: '' }, false],
  [false, { FORCE_COLOR: '3', TERM: 'dumb' }, true],
  [false, { NO_COLOR: '1', FORCE_COLOR: '1', CLICOLOR_FORCE: '1' }, false],
])('on a terminal: %s, with %j, colours: %s', (isTerminal, env, expected) => {
  expect(isColoured(isTerminal, { TERM, ...env })).toBe(expected)
})
