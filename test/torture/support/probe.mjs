/** A healthy client beside whatever is going on. */
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { ownProcess } from './cleanup.mjs'
import { sleep } from './waiting.mjs'

const MEMBER = fileURLToPath(new URL('./probe-member.mjs', import.meta.url))

/**
 * Starts one that asks every `pauseMs`.
 *
 * @param options.what - `health`, or `frames` to submit one each time
 * @returns `stop()` gives `{latencies, statuses, failures, reconnects}`
 */
export function startProbe(socketPath, { pauseMs = 5, what = 'health', token = '' } = {}) {
  const child = spawn(process.execPath, [MEMBER, socketPath, String(pauseMs), what, token], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  ownProcess(child)
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (chunk) => (text += chunk))
  return {
    async stop() {
      child.stdin.end()
      await new Promise((resolve) => child.once('close', resolve))
      return JSON.parse(text)
    },
  }
}

/** Lets one run for a while with nothing else going on. */
export async function probeIdle(socketPath, durationMs, options) {
  const probe = startProbe(socketPath, options)
  await sleep(durationMs)
  return await probe.stop()
}
