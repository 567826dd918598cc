/**
 * A party of its own process: where the daemon asks the kernel who is at the other end, two sessions of one process
 * are one and the same, and a stranger has to be somebody else.
 */
import { fork } from 'node:child_process'
import { ownProcess } from './cleanup.mjs'

/** @returns `pid`, `request(...)` as in http.mjs, sent by that process, `end()` and `kill()` */
export function startParty() {
  const child = fork(new URL('./party-member.mjs', import.meta.url))
  ownProcess(child)
  const waiting = new Map()
  let count = 0
  child.on('message', ({ id, reply, failure }) => {
    const { resolve, reject } = waiting.get(id)
    waiting.delete(id)
    if (failure === undefined) resolve(reply)
    else reject(new Error(failure))
  })
  return {
    pid: child.pid,
    request: (...args) =>
      new Promise((resolve, reject) => {
        count += 1
        waiting.set(count, { resolve, reject })
        child.send({ id: count, args })
      }),
    end: () => child.kill(),
    /** Kills it, and waits until it is gone. */
    kill: () =>
      new Promise((resolve) => {
        child.once('exit', resolve)
        child.kill('SIGKILL')
      }),
  }
}
