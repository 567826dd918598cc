/**
 * An engine as the link needs one: a stream of messages, each lane with compare-and-set; and what can become of its disk.
 */

/** A message as it is stored. */
export interface StoredMessage {
  readonly seq: number
  readonly subject: string
  readonly text: string
  readonly signature: string
  readonly engineMs: number
}

interface Disk {
  readonly created: string
  readonly firstSeq: number
  readonly messages: readonly StoredMessage[]
}

/** The lane has another last message than its writer says. */
export class Moved extends Error {}

export class Engine {
  #disk: Disk = { created: 'stream-1', firstSeq: 1, messages: [] }
  #copy: Disk = this.#disk
  #streams = 1

  get stream(): { readonly created: string; readonly firstSeq: number } {
    return this.#disk
  }

  get lastSeq(): number {
    return this.#disk.messages.at(-1)?.seq ?? this.#disk.firstSeq - 1
  }

  get messages(): readonly StoredMessage[] {
    return this.#disk.messages
  }

  lastOn(subject: string): StoredMessage | undefined {
    return this.#disk.messages.findLast((message) => message.subject === subject)
  }

  /** @param expected - the sequence of the lane's last message; 0: it has none @throws Moved */
  publish(message: Omit<StoredMessage, 'seq'>, expected: number): number {
    if ((this.lastOn(message.subject)?.seq ?? 0) !== expected) throw new Moved('wrong last sequence')
    const seq = this.lastSeq + 1
    this.#disk = { ...this.#disk, messages: [...this.#disk.messages, { ...message, seq }] }
    return seq
  }

  /** Retention: the oldest go. */
  trim(count: number): void {
    const messages = this.#disk.messages.slice(count)
    this.#disk = { ...this.#disk, firstSeq: messages[0]?.seq ?? this.lastSeq + 1, messages }
  }

  /** An empty one in its place. */
  loseDisk(): void {
    this.#streams += 1
    this.#disk = { created: `stream-${this.#streams}`, firstSeq: 1, messages: [] }
    this.#copy = this.#disk
  }

  backUp(): void {
    this.#copy = this.#disk
  }

  /** The disk as it was when it was last backed up. */
  rewind(): void {
    this.#disk = this.#copy
  }
}
