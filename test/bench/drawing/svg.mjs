/** Words of SVG: elements, numbers and text that cannot become markup. */

/** One element; children are markup already, such as `words()` gives. Attributes that are undefined are left out. */
export function element(name, attributes = {}, ...children) {
  const listed = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ` ${key}="${escape(typeof value === 'number' ? round(value) : value)}"`)
    .join('')
  return children.length === 0
    ? `<${name}${listed}/>`
    : `<${name}${listed}>${children.flat().join('')}</${name}>`
}

/** A line of text at a place. */
export function words(text, { size, ...attributes }) {
  return element('text', { 'font-size': size, ...attributes }, escape(text))
}

/** A sentence that is shown when one points at the element around it. */
export function tip(text) {
  return element('title', {}, escape(text))
}

/** About how wide a text is drawn, in pixels; no font of a reader's is known, so rather too wide. */
export function widthOf(text, size) {
  return text.length * size * 0.54
}

/** Text of a run comes from a file, and no XML may hold a control character even when it is written as a reference. */
function escape(text) {
  return (
    String(text)
      // oxlint-disable-next-line no-control-regex
      .replaceAll(/[\u0000-\u001F\u007F\uFFFE\uFFFF]|\p{Surrogate}/gu, '\uFFFD')
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', '&quot;')
  )
}

/** A hundredth of a pixel is enough. */
function round(number) {
  return String(Math.round(number * 100) / 100)
}
