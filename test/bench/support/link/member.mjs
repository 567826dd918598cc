/**
 * A publisher or a consumer of a peer as a process of its own: its CPU is its own, and it can be in the network of a machine.
 *
 * What it is asked is one line, and what it answers one number. Every process of a machine has the same monotonic clock, so what
 * one says of when it sent can be taken from what another says of when that came.
 */
import { createInterface } from 'node:readline'
import { onEveryCore } from '../machine.mjs'
import { spawnServer } from '../processes.mjs'
import { within } from '../waiting.mjs'

/** How long a member may take to answer, in milliseconds. */
const ANSWER_MS = 20_000

/**
 * @param words - the program and its arguments
 * @param command - in front of it
 * @returns `{pid, ask(word), stop()}`; `ask` gives the number that it answers with
 */
export async function startMember(words, command = []) {
  const server = spawnServer(onEveryCore([...command, process.execPath, ...words]), {
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let rest = ''
  const waiting = []
  server.stdout.on('data', (text) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop()
    for (const line of lines) waiting.shift()?.(Number(line))
  })
  const next = async () => {
    const answer = new Promise((resolve) => waiting.push(resolve))
    const ended = server.exited.then(() => {
      throw new Error(`${words.join(' ')} ended: ${server.output().slice(-600)}`)
    })
    ended.catch(() => {})
    return within(Promise.race([answer, ended]), ANSWER_MS, `${words.join(' ')} did not answer`)
  }
  const ask = (word) => {
    server.stdin.write(`${word}\n`)
    return next()
  }
  await ask('ready')
  return { pid: server.pid, ask, stop: () => server.stop() }
}

/** The clock that all of them have, in microseconds. */
export function nowMicros() {
  return Number(process.hrtime.bigint() / 1_000n)
}

/** When things come, one after the other, whoever asks first or later. */
export class Arrivals {
  #came = []
  #waiting = []

  add() {
    const micros = nowMicros()
    const waiting = this.#waiting.shift()
    if (waiting === undefined) this.#came.push(micros)
    else waiting(micros)
  }

  next() {
    const came = this.#came.shift()
    return came === undefined ? new Promise((resolve) => this.#waiting.push(resolve)) : came
  }
}

/** Answers each line with what its word gives. It ends with its standard input. */
export async function answerLines(words) {
  for await (const word of createInterface({ input: process.stdin }))
    process.stdout.write(`${await words[word]()}\n`)
  process.exit(0)
}
