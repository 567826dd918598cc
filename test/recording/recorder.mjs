/** Plays a tape and keeps what the terminals show, frame by frame. */
import { setTimeout as sleep } from 'node:timers/promises'
import { PANES } from './tape.mjs'
import { readScreen } from './screen.mjs'
import { COLUMNS } from './stage.mjs'

/** Characters that are typed between two frames, and how long such a frame is shown, in milliseconds. */
const TYPED_AT_ONCE = 4
const TYPING_MS = 90

/** How long a frame is shown when a line was typed, when something new was shown, and at the end. */
const TYPED_MS = 400
const SHOWN_MS = 2_200
const LAST_MS = 6_000

/** How long something may take to be shown, and how often that is looked at. */
const PATIENCE_MS = 20_000
const LOOK_MS = 40

/** @returns frames `{panes: {<id>: {rows, cursor}}, active, ms}` */
export async function record(stage, tape) {
  const frames = []
  let kept = ''
  const shoot = (active, ms) => {
    const panes = Object.fromEntries(PANES.map(({ id }) => [id, readScreen(stage.screen(id))]))
    frames.push({ panes, active, ms })
  }
  for (const { pane, type, shows, after, before } of tape) {
    if (after !== undefined) await until(() => stage.agentd('history').includes(wordOf(after)), stage)
    if (before !== undefined) {
      await until(() => before.test(textOf(stage, pane)), stage)
      shoot(pane, SHOWN_MS)
    }
    const text = type.replace('KEPT', kept)
    await until(() => promptsIn(stage, pane) > 0, stage)
    const prompts = promptsIn(stage, pane)
    for (let at = 0; at < text.length; at += TYPED_AT_ONCE) {
      const so = text.slice(0, at + TYPED_AT_ONCE)
      stage.type(pane, text.slice(at, at + TYPED_AT_ONCE))
      await until(() => flat(stage, pane).endsWith(so.replaceAll(/\s/g, '')), stage)
      shoot(pane, TYPING_MS)
    }
    frames.at(-1).ms = TYPED_MS
    stage.enter(pane)
    if (shows !== undefined) {
      await until(() => shows.test(textOf(stage, pane)), stage)
      kept = shows.exec(textOf(stage, pane))?.groups?.['kept'] ?? kept
    }
    if (!text.startsWith('agentd ask')) await until(() => promptsIn(stage, pane) > prompts, stage)
    shoot(pane, shows === undefined ? TYPED_MS : SHOWN_MS)
  }
  frames.at(-1).ms = LAST_MS
  return frames
}

/** `agent_advisory` → `advisory`, as `agentd history` says it. */
function wordOf(kind) {
  return kind.replace('agent_', '')
}

/** What a terminal shows, with wrapped lines put together by their words. */
function textOf(stage, pane) {
  return rowsOf(stage, pane)
    .map((row) => (row.length === COLUMNS ? row : `${row} `))
    .join('')
}

function flat(stage, pane) {
  return rowsOf(stage, pane).join('').replaceAll(/\s/g, '')
}

function promptsIn(stage, pane) {
  return rowsOf(stage, pane).filter((row) => row.startsWith('$')).length
}

function rowsOf(stage, pane) {
  return readScreen(stage.screen(pane)).rows.map((runs) => runs.map(({ text }) => text).join(''))
}

async function until(condition, stage) {
  const deadline = Date.now() + PATIENCE_MS
  while (!condition()) {
    if (Date.now() > deadline) {
      const shown = PANES.map(({ id }) => `${id}:\n${rowsOf(stage, id).join('\n')}`).join('\n')
      throw new Error(`the tape waits in vain; the terminals show\n${shown}`)
    }
    await sleep(LOOK_MS)
  }
}
