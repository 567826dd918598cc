/** Whether a picture is well-formed XML, as far as our own drawings use it. */
import { expect } from 'vitest'

/** Fails where an element is left open, a character is bare that has to be escaped, or a control is in it. */
export function expectWellFormed(svg: string): void {
  const tag = /<(\/?)([a-z]+)((?: [a-zA-Z:-]+="[^"<>]*")*)(\/?)>/g
  const open: string[] = []
  for (const [, end, name = '', , isEmpty] of svg.matchAll(tag)) {
    if (end === '/') expect(open.pop()).toBe(name)
    else if (isEmpty === '') open.push(name)
  }
  const text = svg.replaceAll(tag, '')

  expect(open).toEqual([])
  expect(text).not.toMatch(/[<>]|&(?!(?:amp|lt|gt|quot);)/)
  // oxlint-disable-next-line no-control-regex
  expect(svg).not.toMatch(/[\u0000-\u0009\u000B-\u001F]/)
}
