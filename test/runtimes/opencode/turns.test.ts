/** What the plugin of OpenCode says of a turn: whether the model has begun to answer what it was to be asked with last (OP-09). */
import { readFileSync, writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { MAX_TURNS, opencodePlugin } from '../../../src/runtimes/opencode/plugin.ts'
import { createTempDir } from '../../support/temp-dir.ts'
import { asked, loadPlugin, type LoadedPlugin } from './loaded-plugin.ts'

/** What OpenCode says while it answers: a message of the model, and parts of it. */
const message = (id: string, parentID: string, more: object = {}) => ({
  type: 'message.updated',
  properties: { info: { id, sessionID: 's1', role: 'assistant', parentID, ...more } },
})
const part = (messageID: string, type: string) => ({
  type: 'message.part.updated',
  properties: { part: { id: 'prt_1', sessionID: 's1', messageID, type } },
})
const IDLE = { type: 'session.idle', properties: { sessionID: 's1' } }

/** A step of a turn: an event, the prompt of an id, or a tool that has run. */
type TurnStep = { readonly type: string } | { readonly prompt: string } | 'tool'

test.each<readonly [string, boolean, readonly TurnStep[]]>([
  ['before the model was asked', true, [{ prompt: 'msg_1' }]],
  ['before the first word of the answer', true, [{ prompt: 'msg_1' }, message('msg_2', 'msg_1')]],
  [
    'behind a tool, before the model was asked again',
    true,
    [{ prompt: 'msg_1' }, message('msg_2', 'msg_1'), part('msg_2', 'tool'), 'tool', part('msg_2', 'tool')],
  ],
  [
    'behind a prompt that came within the answer to another one',
    true,
    [{ prompt: 'msg_1' }, message('msg_2', 'msg_1'), { prompt: 'msg_3' }, part('msg_2', 'text')],
  ],
  ['behind a first word', false, [{ prompt: 'msg_1' }, message('msg_2', 'msg_1'), part('msg_2', 'text')]],
  [
    'behind an answer without words',
    false,
    [{ prompt: 'msg_1' }, message('msg_2', 'msg_1', { finish: 'stop' })],
  ],
  [
    'behind the answer to what a tool was told',
    false,
    [
      { prompt: 'msg_1' },
      message('msg_2', 'msg_1'),
      part('msg_2', 'tool'),
      'tool',
      message('msg_3', 'msg_1'),
      part('msg_3', 'text'),
    ],
  ],
])('a turn that is over %s says so (OP-09): %s', async (_when, isUnanswered, steps) => {
  await using dir = await createTempDir()
  const plugin = await loadPlugin(dir, '')

  for (const step of [...steps, IDLE]) {
    // oxlint-disable-next-line eslint/no-await-in-loop
    await take(plugin, step)
  }

  expect(asked(dir).at(-1)?.[1]).toMatchObject({ hook_event_name: 'session.idle' })
  expect(asked(dir).at(-1)?.[1]['unanswered']).toBe(isUnanswered ? true : undefined)
})

test('a tool of the step that a prompt came in says that nobody has answered that prompt (OP-09)', async () => {
  await using dir = await createTempDir()
  const plugin = await loadPlugin(dir, '')

  for (const step of [
    { prompt: 'msg_1' },
    message('msg_2', 'msg_1'),
    part('msg_2', 'tool'),
    'tool',
  ] as const) {
    // oxlint-disable-next-line eslint/no-await-in-loop
    await take(plugin, step)
  }
  await take(plugin, { prompt: 'msg_3' })
  await take(plugin, 'tool')

  const tools = asked(dir).filter(([, { hook_event_name }]) => hook_event_name === 'tool.execute.after')
  expect(tools.map(([, { unanswered }]) => unanswered)).toEqual([undefined, true])
})

test('it is remembered of so many sessions, and of one that is forgotten nothing is proved (OP-09)', async () => {
  await using dir = await createTempDir()
  writeFileSync(dir.file('record.sh'), 'cat >>"$0.asked"; echo >>"$0.asked"\n')
  // A shell starts faster than Node, and there are many prompts.
  const text = opencodePlugin({ node: '/bin/sh', script: dir.file('record.sh') })
  writeFileSync(dir.file('agentd.mjs'), text)
  const { Agentd } = await import(pathToFileURL(dir.file('agentd.mjs')).href)
  const plugin: LoadedPlugin = await Agentd({ client: {}, directory: '/work' })
  const idles = async () => {
    await take(plugin, IDLE)
    return readFileSync(dir.file('record.sh.asked'), 'utf8').trim().split('\n').at(-1)
  }
  for (const step of [{ prompt: 'msg_1' }, message('msg_2', 'msg_1', { finish: 'stop' })] as const) {
    // oxlint-disable-next-line eslint/no-await-in-loop
    await take(plugin, step)
  }
  const prompt = async (sessionID: string) =>
    plugin['chat.message']?.({ sessionID }, { message: { id: 'msg_3' }, parts: [] })

  await Promise.all(Array.from({ length: MAX_TURNS - 1 }, (_, index) => prompt(`other-${index}`)))
  expect(await idles()).not.toContain('unanswered')
  await prompt('one-more')
  expect(await idles()).toContain('"unanswered":true')
})

/** Has the plugin hear of one step. */
async function take(plugin: LoadedPlugin, step: TurnStep): Promise<void> {
  if (step === 'tool')
    await plugin['tool.execute.after']?.(
      { tool: 'read', sessionID: 's1', callID: 'c1', args: {} },
      { output: '' },
    )
  else if ('prompt' in step)
    await plugin['chat.message']?.({ sessionID: 's1' }, { message: { id: step.prompt }, parts: [] })
  else await plugin['event']?.({ event: step })
}
