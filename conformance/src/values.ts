/**
 * What stands in a vector for a value that would be long, or that has to be new each time.
 *
 * An object whose only or first member begins with `$` is such a word; docs/conformance.md lists them.
 */
import { randomUUID } from 'node:crypto'
import { isJsonObject, readList, readTexts, requireText, type JsonObject } from './json.ts'
import type { Samples } from './vector.ts'

/** What one vector is written out with; ids with one label are the same within it. */
export class Writer {
  readonly #samples: Samples
  readonly #nowMs: number
  readonly #ids = new Map<string, string>()

  constructor(samples: Samples, nowMs: number) {
    this.#samples = samples
    this.#nowMs = nowMs
  }

  /** A value of a vector with every word of it written out. */
  write(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.write(item))
    if (!isJsonObject(value)) return value
    const [word = ''] = Object.keys(value)
    if (word.startsWith('$')) return this.#word(word, value)
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, this.write(inner)]))
  }

  /** As {@link write}, for what stays an object. */
  writeObject(value: JsonObject): JsonObject {
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, this.write(inner)]))
  }

  #word(word: string, value: JsonObject): unknown {
    switch (word) {
      case '$text':
        return textOfOctets(requireText(value, word), Number(value['octets']))
      case '$list':
        return Array.from({ length: Number(value['count']) }, () => this.write(value[word]))
      case '$now':
        return new Date(this.#nowMs + Number(value[word])).toISOString()
      case '$uuid':
        return this.#id(requireText(value, word))
      case '$frame':
        return this.#varied(this.#samples.frames, word, value)
      case '$envelope':
        return this.#varied(this.#samples.envelopes, word, value)
      case '$json':
        return replaced(JSON.stringify(this.write(value[word])), value)
      case '$octets':
        return octetsOf(value[word])
      default:
        throw new TypeError(`${word} is no word of a vector`)
    }
  }

  #id(label: string): string {
    const id = this.#ids.get(label) ?? randomUUID()
    this.#ids.set(label, id)
    return id
  }

  /** A sample with the values at some paths set, and others taken out. */
  #varied(samples: JsonObject, word: string, value: JsonObject): JsonObject {
    const sample = samples[requireText(value, word)]
    if (!isJsonObject(sample)) throw new TypeError(`there is no sample ${String(value[word])}`)
    // Ids of a sample are new in each place that it is used in.
    const own = new Writer(this.#samples, this.#nowMs)
    let varied = own.writeObject(sample)
    const { set } = value
    for (const [path, put] of Object.entries(isJsonObject(set) ? set : {}))
      varied = withValueAt(varied, path, this.write(put))
    for (const path of readTexts(value, 'unset')) varied = withValueAt(varied, path, undefined)
    return varied
  }
}

/** A text repeated to exactly so many octets; what is left over is filled with `x`. */
function textOfOctets(text: string, octets: number): string {
  const size = Buffer.byteLength(text)
  return text.repeat(Math.floor(octets / size)) + 'x'.repeat(octets % size)
}

/** A copy with the value at a path such as `payload.options[0].label` set; `undefined` takes it out. */
function withValueAt(object: JsonObject, path: string, value: unknown): JsonObject {
  const steps = path.split(/[.[\]]+/).filter((step) => step !== '')
  const written = JSON.stringify(object)
  const copy: unknown = JSON.parse(written)
  let holder = copy
  for (const step of steps.slice(0, -1))
    holder = holder instanceof Object ? Reflect.get(holder, step) : holder
  const last = steps.at(-1) ?? ''
  if (!(holder instanceof Object) || !isJsonObject(copy)) throw new TypeError(`there is no ${path} to set`)
  if (value === undefined) Reflect.deleteProperty(holder, last)
  else Reflect.set(holder, last, value)
  return copy
}

function replaced(text: string, value: JsonObject): string {
  let result = text
  for (const pair of readList(value, 'replace')) {
    const [from, to] = Array.isArray(pair) ? pair.map(String) : []
    if (from === undefined || to === undefined || !result.includes(from))
      throw new TypeError(`"${String(from)}" is not in what it is to be replaced in`)
    result = result.replace(from, () => to)
  }
  return result
}

/** Octets as base64: of a text, or of `{"hex":…}`. */
function octetsOf(value: unknown): string {
  if (isJsonObject(value)) return Buffer.from(requireText(value, 'hex'), 'hex').toString('base64')
  return Buffer.from(String(value)).toString('base64')
}
