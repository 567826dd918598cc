/**
 * Server-Sent Events as a subscriber reads them, by the rules of the WHATWG standard.
 */

/** One event with data. */
export interface StreamEvent {
  readonly event: string
  readonly data: string
  /** The last event id when it was dispatched. */
  readonly id: string
}

/** Feed it text in any pieces; it gives the events that each completed. */
export class EventReader {
  #rest = ''
  #isFirst = true
  #data: string[] = []
  #event = ''
  #id = ''

  feed(text: string): readonly StreamEvent[] {
    this.#rest += text
    if (this.#isFirst && this.#rest !== '') {
      this.#rest = this.#rest.replace(/^\uFEFF/, '')
      this.#isFirst = false
    }
    const events: StreamEvent[] = []
    // A CR at the end may be half of a line end.
    for (let end = this.#lineEnd(); end !== undefined; end = this.#lineEnd()) {
      const line = this.#rest.slice(0, end.index)
      this.#rest = this.#rest.slice(end.index + end[0].length)
      if (line === '') events.push(...this.#dispatch())
      else this.#field(line)
    }
    return events
  }

  #lineEnd(): RegExpExecArray | undefined {
    return /\r\n|\n|\r(?!$)/.exec(this.#rest) ?? undefined
  }

  #field(line: string): void {
    const [, name, value = ''] = /^([^:]*)(?:: ?(.*))?$/su.exec(line) ?? []
    if (name === 'data') this.#data.push(value)
    if (name === 'event') this.#event = value
    if (name === 'id' && !value.includes('\0')) this.#id = value
  }

  #dispatch(): readonly StreamEvent[] {
    const event = {
      event: this.#event === '' ? 'message' : this.#event,
      data: this.#data.join('\n'),
      id: this.#id,
    }
    const isDispatched = this.#data.length > 0
    this.#data = []
    this.#event = ''
    return isDispatched ? [event] : []
  }
}
