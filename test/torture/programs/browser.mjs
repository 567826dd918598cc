/**
 * no web page, and no other user, gets anything through the person's page.
 *
 * What can be sent without a browser, and what a hostile page tries from within one. Every attempt counts; what passes is
 * named. Where there is no Chromium the second half is left out by name; with `AGENTD_BROWSER=required` that fails.
 */
import { readFileSync, readdirSync, readlinkSync } from 'node:fs'
import { startDaemon } from '../support/daemon.mjs'
import { request } from '../support/http.mjs'
import { bodyAttempts } from '../support/seat-bodies.mjs'
import { tryBrowser } from '../support/seat-browser.mjs'
import { formAttempts } from '../support/seat-forms.mjs'
import { FORGED, guess, headAttempts, revokedToken } from '../support/seat-heads.mjs'
import { crowdAttempt, slowAttempts } from '../support/seat-slow.mjs'
import { canBeStranger, deadProcessAttempts, strangerAttempts } from '../support/seat-strangers.mjs'
import { logIn, makeKey, signIn, startSeat } from '../support/seat.mjs'
import { createTempDir } from '../support/temp-dir.mjs'

/** So many at the least make a round. */
const LEAST_ATTEMPTS = 120

/** At a time: the process takes 64 connections, and some of these are held. */
const AT_ONCE = 8

/** Wrong keys in a round, and in a short one. */
const GUESSES = 1_000
const FEW_GUESSES = 100

/** Makes attempts, some at a time. @returns those that were not refused, by name and answer */
async function make(attempts) {
  const passed = []
  const waiting = [...attempts]
  const work = Array.from({ length: AT_ONCE }, async () => {
    for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) {
      const answer = await one.send()
      if (!one.refused(answer)) passed.push(`${one.name}: ${JSON.stringify(answer).slice(0, 200)}`)
    }
  })
  await Promise.all(work)
  return passed
}

/** Addresses at which a process listens, by the kernel's tables. */
function listeners(pid) {
  const inodes = new Set(
    readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      try {
        return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? []
      } catch {
        return []
      }
    }),
  )
  return ['tcp', 'tcp6'].flatMap((table) =>
    readFileSync(`/proc/net/${table}`, 'utf8')
      .split('\n')
      .map((row) => row.trim().split(/\s+/))
      .flatMap((columns) => (columns[3] === '0A' && inodes.has(columns[9]) ? [columns[1]] : [])),
  )
}

/** Where a secret must not stand: arguments, variables and log of the process. @returns how often one does */
function leaks({ child, log }, secrets) {
  const places = [`/proc/${child.pid}/cmdline`, `/proc/${child.pid}/environ`].map((path) =>
    readFileSync(path, 'latin1'),
  )
  return [...places, log()].filter((text) => secrets.some((secret) => text.includes(secret))).length
}

async function run({ minutes, note }) {
  if (process.platform !== 'linux') return { skipped: 'it looks at /proc of Linux' }
  const { holds, tried, passed, ...figures } = await tryWithout({ minutes, note })
  const within = await tryBrowser({ minutes, note })
  const all = [...passed, ...(within?.passed ?? [])]
  const attempts = tried + (within?.tried ?? 0)
  return {
    holds: holds && all.length === 0 && attempts >= LEAST_ATTEMPTS,
    passed_of_attempts: `${all.length} of ${attempts}`,
    passed: all.slice(0, 20),
    ...figures,
    ...(within === undefined
      ? { missing: 'chromium', from_within_a_browser: 'not tried: there is no Chromium' }
      : { from_within_a_browser: within.tried, ...within.figures }),
  }
}

/** What needs no browser. */
async function tryWithout({ minutes, note }) {
  const dir = createTempDir()
  const daemon = await startDaemon({ dir })
  const before = listeners(daemon.pid).length
  const seat = await startSeat({ dir, socket: daemon.socket })
  const usedKey = await makeKey(seat)
  await logIn(seat, usedKey)
  const freshKey = await makeKey(seat)
  const tokens = { token: await signIn(seat), revoked: await revokedToken(seat) }
  const stage = { seat, daemon, dir, usedKey, freshKey, ...tokens }

  const attempts = [
    ...slowAttempts(stage),
    ...headAttempts(stage),
    ...formAttempts(stage),
    ...bodyAttempts(stage),
  ]
  const strangers = canBeStranger() ? await strangerAttempts(stage) : []
  const passed = await make([...attempts, ...strangers])
  passed.push(...(await make([crowdAttempt(stage)])))
  note(`${attempts.length + strangers.length + 1} attempts, ${passed.length} passed`)
  if ((await logIn(seat, freshKey)).status !== 200)
    passed.push('a key was used up by a form that was refused')
  const guesses = await guess(seat, minutes >= 0.5 ? GUESSES : FEW_GUESSES)
  const leaked = leaks(seat, [stage.token, stage.revoked, usedKey, seat.firstKey])
  const listening = { daemon: listeners(daemon.pid).length, seat: listeners(seat.child.pid) }
  const wasAlive = seat.isAlive()
  const dead = await deadProcessAttempts(stage)
  passed.push(...(await make(dead)))

  const kept = (await request(daemon.socket, '/v1/frames?limit=1000')).text
  const isForged = kept.includes(FORGED)
  await daemon.stop()
  dir.remove()
  const tried = attempts.length + strangers.length + 1 + dead.length
  const isAlone = listening.seat.length === 1 && listening.seat[0].startsWith('0100007F:')
  return {
    tried,
    passed,
    holds:
      guesses.letIn === 0 &&
      guesses.others.length === 0 &&
      guesses.isRightLetIn &&
      leaked === 0 &&
      !isForged &&
      wasAlive &&
      before + listening.daemon === 0 &&
      isAlone,
    of_another_user: strangers.length,
    peer_check: seat.peerCheck,
    guesses_let_in: `${guesses.letIn} of ${guesses.tried}`,
    guesses_answered_otherwise: guesses.others,
    right_key_among_them: guesses.isRightLetIn,
    secrets_in_arguments_variables_log: leaked,
    forged_frames_kept: isForged ? 'some' : 0,
    tcp_listeners_of_daemon_and_page: `${listening.daemon} ${listening.seat.length}`,
    ...(strangers.length === 0 && { not_tried: 'another user: that takes root' }),
  }
}

export default {
  name: 'browser',
  promise: 'R-37',
  summary: 'what a web page, a stolen link or another user could try against the page',
  run,
}
