/**
 * Three machines, and questions that are answered by whoever heard them: no machine hears an answer before its question, since
 * an answer is published after its question was read, and one consumer keeps that order (FT-15, FED-30).
 */
import { makeFrame } from '../support/frames.mjs'
import { whatIsMissing } from '../support/link/hub-parts.mjs'
import { withScene } from '../support/link/scene.mjs'
import { openReader } from '../support/reader.mjs'
import { waitFor } from '../support/waiting.mjs'

const NAMES = ['laptop', 'devbox', 'ci']

/** Questions of a round; a long one goes on. */
const QUESTIONS = 100

const WORD = /"broadcast_text":"(asks|answers) (\d+)"/

export default {
  name: 'link-triangle',
  promise: 'FED-04, FED-30',
  summary: 'three machines ask and answer: nobody hears an answer before its question, and nothing twice',
  async run({ hasTime }) {
    return (
      whatIsMissing() ??
      (await withScene({ names: NAMES, speaker: { pauseMs: 60, window: 1 } }, async (scene) => {
        const ears = await Promise.all(scene.nodes.map((node) => listen(node, NAMES.indexOf(node.name))))
        await scene.speak()
        let asked = 0
        do {
          const until = asked + QUESTIONS
          for (; asked < until; asked += 1) await say(scene.nodes[asked % NAMES.length], `asks ${asked}`)
        } while (hasTime())
        const isWhole = await waitFor(() => ears.every(({ heard }) => heard.length >= 2 * asked), 30_000)
        const { figures, holds } = await scene.settle()
        const early = ears.reduce((sum, { heard }) => sum + countEarly(heard), 0)
        const wrong = ears.filter(
          ({ heard }) => new Set(heard).size !== heard.length || heard.length !== 2 * asked,
        )
        for (const { reader } of ears) reader.close()
        return {
          questions: asked,
          answers_before_their_question: early,
          machines_that_did_not_hear_all_once: wrong.length,
          ...figures,
          holds: holds && isWhole !== undefined && early === 0 && wrong.length === 0,
        }
      }))
    )
  },
}

/** A machine that answers every third question, none of them its own. */
async function listen(node, index) {
  const heard = []
  const reader = openReader(node.socket, {
    keep: false,
    onEvent({ data = '' }) {
      const [, what, number] = WORD.exec(data) ?? []
      if (what === undefined) return
      heard.push(`${what} ${number}`)
      const isMine = Number(number) % NAMES.length === (index + 1) % NAMES.length
      if (what === 'asks' && isMine) void say(node, `answers ${number}`)
    },
  })
  await reader.until(() => reader.connects > 0)
  return { heard, reader }
}

function say(node, text) {
  return node.ask('/v1/frames', { json: { frame: makeFrame({ text }) } })
}

function countEarly(heard) {
  const seen = new Set()
  let early = 0
  for (const word of heard) {
    const [what, number] = word.split(' ')
    if (what === 'asks') seen.add(number)
    else if (!seen.has(number)) early += 1
  }
  return early
}
