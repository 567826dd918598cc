/**
 * What a stream may never do: lose a frame without a word, or bring one twice.
 *
 * For streams whose scope and filter admit everything: there every sequence number has to arrive or to be
 * covered by a gap event that came before any later frame.
 */

/** Text in any pieces, whole event blocks out; what is cut at the end never counts. */
export class BlockReader {
  #rest = ''
  #hasHead = false
  /** Of the response, once its head is there. */
  status

  /** @returns the blocks that this piece completed, as objects of their fields */
  feed(text) {
    this.#rest += text
    if (!this.#hasHead) {
      const end = this.#rest.indexOf('\r\n\r\n')
      if (end === -1) return []
      this.#hasHead = true
      this.status = Number(/^HTTP\/1\.1 (\d+)/.exec(this.#rest)?.[1])
      this.#rest = this.#rest.slice(end + 4)
    }
    if (!this.#rest.includes('\n\n')) return []
    const blocks = this.#rest.split('\n\n')
    this.#rest = blocks.pop() ?? ''
    return blocks.map(fieldsOf)
  }
}

function fieldsOf(block) {
  const fields = {}
  for (const line of block.split('\n')) {
    const colon = line.indexOf(': ')
    if (colon > 0) fields[line.slice(0, colon)] = line.slice(colon + 2)
  }
  return fields
}

/** One reader's account, over all its connections. */
export class SequenceCheck {
  /** The cursor to resume from. */
  lastId
  frames = 0
  duplicates = 0
  /** Sequence numbers that neither arrived nor were covered by a gap. */
  uncovered = 0
  gaps = 0
  /** The reason of the last goodbye. */
  bye
  #epoch
  #seq

  /** Takes one block. @returns true for a frame */
  take({ id, event, data }) {
    if (event === 'agentd_gap') this.#takeGap(JSON.parse(data))
    else if (event === 'agentd_bye') this.bye = JSON.parse(data).reason
    const isFrame = event === 'agent_frame'
    if (id !== undefined) this.#place(id, isFrame)
    if (isFrame) this.frames += 1
    return isFrame
  }

  #takeGap({ oldest, missed }) {
    this.gaps += 1
    // A gap of unknown size covers everything up to wherever the stream goes on.
    if (missed === null || oldest === null) this.#seq = undefined
    else this.#seq = readId(oldest).seq - 1
  }

  #place(id, isFrame) {
    const { epoch, seq } = readId(id)
    if (epoch !== this.#epoch) {
      if (this.#epoch !== undefined && this.#seq !== undefined) this.uncovered += 1
      this.#epoch = epoch
      this.#seq = undefined
    }
    this.lastId = id
    if (this.#seq !== undefined) {
      if (seq <= this.#seq && isFrame) this.duplicates += 1
      // A bare id says that nothing lay between; where everything matches, that has to be true.
      else this.uncovered += Math.max(0, seq - this.#seq - (isFrame ? 1 : 0))
    }
    this.#seq = this.#seq === undefined ? seq : Math.max(this.#seq, seq)
  }
}

function readId(id) {
  const dash = id.lastIndexOf('-')
  return { epoch: id.slice(0, dash), seq: Number(id.slice(dash + 1)) }
}
