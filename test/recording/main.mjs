/**
 * The picture of the README: two terminals, recorded and drawn.
 *
 *   npm run build && npm run record
 *   npm run record -- --to picture.svg
 *
 * A daemon, a repository and two terminals of tmux are made in an empty home; what `tape.mjs` says is typed into them,
 * and what they show is drawn, frame by frame. Nothing that stands on the picture is written by hand. All of it is
 * ended and removed at the end. Needs git, jq and tmux.
 */
import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { drawRecording } from './drawing.mjs'
import { record } from './recorder.mjs'
import { Stage } from './stage.mjs'
import { TAPE } from './tape.mjs'

/** Where the README looks for it. */
const PICTURE = fileURLToPath(new URL('../../docs/recording.svg', import.meta.url))

const { values } = parseArgs({ options: { to: { type: 'string', default: PICTURE } } })
const stage = new Stage()
try {
  const frames = await record(stage, TAPE)
  writeFileSync(resolve(values.to), drawRecording(frames))
  process.stdout.write(`${resolve(values.to)}\n`)
} finally {
  stage.close()
}
