/**
 * Many streams in processes of their own.
 */
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { ownProcess } from './cleanup.mjs'

const MEMBER = fileURLToPath(new URL('./crowd-member.mjs', import.meta.url))

/** Starts `processes` members. Every method asks all of them and adds up what they say. */
export function startCrowd(processes = 1) {
  const children = Array.from({ length: processes }, () => {
    const child = fork(MEMBER, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
    ownProcess(child)
    return child
  })
  const ask = async (wishes) => await Promise.all(children.map((child, i) => askOne(child, wishes(i))))
  return {
    /** @param wish - `{socket, count, query, stopped, timeoutMs}`; the count is spread over the processes */
    async open({ count, ...wish }) {
      const share = (i) => Math.floor(count / processes) + (i < count % processes ? 1 : 0)
      return add(await ask((i) => ({ command: 'open', count: share(i), ...wish })))
    },
    resume: async (wish = {}) => add(await ask(() => ({ command: 'resume', ...wish }))),
    reopen: async (wish = {}) => add(await ask(() => ({ command: 'reopen', ...wish }))),
    report: async () => add(await ask(() => ({ command: 'report' }))),
    closeStreams: async () => add(await ask(() => ({ command: 'close' }))),
    end() {
      for (const child of children) child.kill('SIGKILL')
    },
  }
}

function askOne(child, wish) {
  return new Promise((resolve, reject) => {
    const onExit = () => reject(new Error('a process of the crowd has ended'))
    child.once('exit', onExit)
    child.once('message', ({ reply }) => {
      child.off('exit', onExit)
      resolve(reply)
    })
    child.send(wish)
  })
}

/** Numbers are added, times are the longest, least ones the least, lists are joined. */
function add(replies) {
  const total = {}
  for (const [name, value] of replies.flatMap((reply) => Object.entries(reply))) {
    if (Array.isArray(value)) total[name] = (total[name] ?? []).concat(value)
    else if (typeof value === 'object') total[name] = mergeCounts(total[name] ?? {}, value)
    else if (name.endsWith('Ms')) total[name] = Math.max(total[name] ?? 0, value)
    else if (name.endsWith('Least')) total[name] = Math.min(total[name] ?? Infinity, value ?? Infinity)
    else total[name] = (total[name] ?? 0) + value
  }
  return total
}

function mergeCounts(into, counts) {
  for (const [name, count] of Object.entries(counts)) into[name] = (into[name] ?? 0) + count
  return into
}
