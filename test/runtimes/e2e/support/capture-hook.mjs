/**
 * A hook of somebody else's, beside ours: writes down what it is sent, and has nothing to say.
 *
 *   node capture-hook.mjs <folder>
 *
 * A file `<folder>.slow-<event>` holds the milliseconds it takes over that event, which a runtime waits for: long enough to
 * be killed in.
 *
 * Below the folder, each session that was given a name of its own has one.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** What a runtime tells its hooks in variables of its own. */
const TELLING = /^(?:CLAUDE|CODEX|GEMINI|OPENCODE|AI_AGENT|XDG_RUNTIME_DIR$|AGENTD_)/

/** Worth its name only. */
const SECRET = /TOKEN|KEY|PASSWORD/

const folder = join(process.argv[2], process.env.E2E_ACTOR ?? 'unnamed')
const payload = JSON.parse(readFileSync(0, 'utf8'))
const env = Object.fromEntries(
  Object.entries(process.env)
    .filter(([name]) => TELLING.test(name))
    .map(([name, value]) => [name, SECRET.test(name) ? 'secret' : value]),
)
mkdirSync(folder, { recursive: true })
const name = `${String(process.hrtime.bigint()).padStart(20, '0')}-${process.pid}.json`
writeFileSync(join(folder, `.${name}`), JSON.stringify({ payload, env }))
renameSync(join(folder, `.${name}`), join(folder, name))
const slow = `${process.argv[2]}.slow-${payload.hook_event_name}`
const waitMs = existsSync(slow) ? Number(readFileSync(slow, 'utf8')) : 0
if (waitMs > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, waitMs)
