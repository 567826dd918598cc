/**
 * Real payloads as fixtures: without ids, paths and times of the machine they were captured on.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { homedir, userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import { ROOT } from './stage.mjs'

const UUID = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g
const TIME = /\b20\d\d-\d\d-\d\dT\d\d[:-]\d\d[:-]\d\d(?:\.\d+)?Z?/g
const NOWHERE = '2026-01-02T03:04:05.678Z'

/** Collects the first payload of each kind from the stages of a run. */
export class Fixtures {
  #found = new Map()
  #folder

  constructor(folder) {
    this.#folder = folder
  }

  /** Takes what the runtimes of a stage have sent. */
  take(stage, runtimes) {
    for (const runtime of runtimes) {
      for (const { payload, env } of stage.captured(runtime)) this.#keep(stage, runtime, payload, env)
    }
  }

  #keep(stage, runtime, payload, env) {
    const { hook_event_name: event, source, tool_name: tool, reason } = payload
    const parts = [event, source ?? tool ?? reason].filter((part) => part !== undefined)
    const name = parts.join('-').replaceAll(/[^A-Za-z0-9_-]/g, '_')
    const path = join(this.#folder, runtime, `${name}.json`)
    if (this.#found.has(path)) return
    this.#found.set(path, neutralise({ payload, env }, stage))
  }

  write() {
    for (const [path, text] of this.#found) {
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, text)
    }
    return this.#found.size
  }
}

function neutralise(content, stage) {
  const folder = stage.path.replaceAll(/[^A-Za-z0-9]/g, '-')
  const places = [
    [stage.file('home'), '/home/alice'],
    [stage.file('repo'), '/home/alice/project'],
    [stage.path, '/home/alice/place'],
    [`${folder}-repo`, '-home-alice-project'],
    [folder, '-home-alice'],
    [ROOT.replace(/\/$/, ''), '/opt/agentd'],
    [process.execPath, '/usr/bin/node'],
    [homedir(), '/home/alice'],
    [`~${userInfo().username}/`, '~alice/'],
  ]
  let text = JSON.stringify(content, null, 2)
  for (const [from, to] of places) text = replaceWhole(text, from, to)
  const ids = new Map()
  return `${text
    .replaceAll(UUID, (id) => {
      if (!ids.has(id)) ids.set(id, `00000000-0000-4000-8000-${String(ids.size + 1).padStart(12, '0')}`)
      return ids.get(id)
    })
    .replaceAll(TIME, NOWHERE)}\n`
}

/** Not where it is part of a longer name: a build in `/tmp/r` is no reason to change `.gemini/tmp/repo`. */
function replaceWhole(text, from, to) {
  const escaped = from.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)
  const before = from.startsWith('/') ? String.raw`(?<!\w)` : ''
  const after = from.endsWith('/') ? '' : String.raw`(?!\w)`
  return text.replaceAll(new RegExp(before + escaped + after, 'g'), () => to)
}
