/**
 * The way from the pipe to a daemon: the one that is there, or one that is started for the purpose, by a process of its
 * own that takes what it loads with it.
 */
import { spawn } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { BUSY_PAUSE_MS, MAX_REASON_LENGTH, START_MS } from './bounds.ts'
import { openDaemonLink, type DaemonDoor } from './daemon-link.ts'
import { NoLink, type Link, type LinkEvents } from './link.ts'

/** How a daemon is reached. */
export interface Approach {
  readonly door: DaemonDoor
  /** How long one that has no room is asked again, in milliseconds. */
  readonly busyMs: number
  /** Words for Node that start a daemon in the background and end; undefined where that is not allowed. */
  readonly startWords: readonly string[] | undefined
}

/** @throws NoLink with a sentence for the person, or HostRefusal (HD-20) */
export async function reachDaemonLink(approach: Approach, events: LinkEvents): Promise<Link> {
  const untilMs = performance.now() + approach.busyMs
  let words = approach.startWords
  for (;;) {
    try {
      return await openDaemonLink(approach.door, events)
    } catch (error) {
      if (!(error instanceof NoLink)) throw error
      const isBusy = error.kind === 'busy' && performance.now() < untilMs
      if (error.kind !== 'absent' && !isBusy) throw error
      if (error.kind === 'absent') {
        if (words === undefined) throw error
        await start(words, error)
        words = undefined
      }
    }
    // A daemon on its way out is busy until it is absent.
    await pause(BUSY_PAUSE_MS)
  }
}

/** Waits until it serves. @throws NoLink with what the starter said */
async function start(words: readonly string[], why: NoLink): Promise<void> {
  const starter = spawn(process.execPath, words, { stdio: ['ignore', 'ignore', 'pipe'], timeout: START_MS })
  let said = ''
  starter.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    said = (said + chunk).slice(0, MAX_REASON_LENGTH)
  })
  const code = await new Promise<number | null>((resolve) => {
    starter.once('error', () => resolve(null))
    starter.once('close', resolve)
  })
  if (code === 0) return
  const reason = said.replace(/^agentd: /, '').trim()
  throw new NoLink('absent', reason === '' ? why.message : reason, why)
}
