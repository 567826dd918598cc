import { writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { opencodePlugin } from '../../../src/runtimes/opencode/plugin.ts'
import { FakeDaemon } from '../../support/fake-daemon.ts'
import { hasProgram } from '../../support/needs.ts'
import { createTempDir, type TempDir } from '../../support/temp-dir.ts'
import { asked, loadPlugin, type LoadedPlugin } from './loaded-plugin.ts'

/** The plugin as it is where it can call a daemon without Node. */
function loadCallingPlugin(dir: TempDir, { socketPath: socket }: FakeDaemon): Promise<LoadedPlugin> {
  return loadPlugin(dir, '', { curl: 'curl', socket, keyHeader: undefined })
}

/** What OpenCode says of a tool that has run. */
const READ = { tool: 'read', sessionID: 's1', callID: 'c1', args: {} }

test("an edit is announced, and what agentd answers stands behind the tool's output", async () => {
  await using dir = await createTempDir()
  const plugin = await loadPlugin(dir, '{"hookSpecificOutput":{"additionalContext":"1 unread"}}')
  const output = { output: 'done' }

  await plugin['tool.execute.after']?.(
    { tool: 'edit', sessionID: 's1', callID: 'c1', args: { filePath: 'a' } },
    output,
  )

  expect(output.output).toBe('done\n\n1 unread')
  expect(asked(dir)).toEqual([
    [
      ['hook', 'opencode'],
      {
        cwd: '/work',
        worktree: '/work',
        server_url: 'http://127.0.0.1:1/',
        hook_event_name: 'tool.execute.after',
        tool_name: 'edit',
        tool_input: { filePath: 'a' },
        tool_use_id: 'c1',
        session_id: 's1',
        unanswered: true,
      },
    ],
  ])
})

test('starts and ends are passed on, and nothing else', async () => {
  await using dir = await createTempDir()
  const plugin = await loadPlugin(dir, '')

  await plugin['event']?.({
    event: { type: 'session.created', properties: { info: { id: 's1', parentID: 's0' } } },
  })
  await plugin['event']?.({ event: { type: 'message.updated', properties: { sessionID: 's1' } } })
  await plugin['event']?.({ event: { type: 'session.idle', properties: { sessionID: 's1' } } })

  expect(
    asked(dir).map(([, payload]) => [
      payload['hook_event_name'],
      payload['session_id'],
      payload['parent_id'],
    ]),
  ).toEqual([
    ['session.created', 's1', 's0'],
    ['session.idle', 's1', undefined],
  ])
})

test('what it asks its person is passed on in words (W-4)', async () => {
  await using dir = await createTempDir()
  const plugin = await loadPlugin(dir, '')
  const events = [
    { type: 'permission.asked', properties: { sessionID: 's1', permission: 'bash', patterns: ['npm test'] } },
    { type: 'question.asked', properties: { sessionID: 's1', questions: [{ question: 'Which one?' }] } },
    { type: 'question.asked', properties: { sessionID: 's1' } },
  ]

  // oxlint-disable-next-line eslint/no-await-in-loop
  for (const event of events) await plugin['event']?.({ event })

  expect(
    asked(dir).map(([, { hook_event_name, session_id, message }]) => [hook_event_name, session_id, message]),
  ).toEqual([
    ['permission.asked', 's1', 'bash npm test'],
    ['question.asked', 's1', 'Which one?'],
    ['question.asked', 's1', undefined],
  ])
})

test.each(['', 'no JSON', '[]', '{"other":1}'])('an answer such as %j changes nothing', async (answer) => {
  await using dir = await createTempDir()
  const plugin = await loadPlugin(dir, answer)
  const message = { parts: [{ type: 'text', text: 'hello' }] }

  await plugin['chat.message']?.({ sessionID: 's1' }, message)

  expect(message.parts).toEqual([{ type: 'text', text: 'hello' }])
})

test('an agentd that is not there any more is as good as a silent one', async () => {
  await using dir = await createTempDir()
  writeFileSync(
    dir.file('agentd.mjs'),
    opencodePlugin({ node: '/nowhere/node', script: '/nowhere/agentd.cjs' }),
  )
  const { Agentd } = await import(pathToFileURL(dir.file('agentd.mjs')).href)
  const plugin = await Agentd({ client: {}, directory: '/work' })
  const output = { output: 'done' }

  await plugin['tool.execute.after'](READ, output)

  expect(output.output).toBe('done')
})

test.runIf(hasProgram('curl'))(
  'with curl, all but a start goes to the daemon without Node (OP-02)',
  async () => {
    await using dir = await createTempDir()
    await using daemon = await FakeDaemon.start()
    const plugin = await loadCallingPlugin(dir, daemon)
    const output = { output: 'done' }

    await plugin['event']?.({ event: { type: 'session.created', properties: { info: { id: 's1' } } } })
    const ran = plugin['tool.execute.after']?.(READ, output)
    const arrival = await daemon.next('POST /v1/hooks/opencode')
    const payload = await arrival.json()
    arrival.answer(200, { additionalContext: '1 unread' })
    await ran

    expect(asked(dir).map(([, { hook_event_name }]) => hook_event_name)).toEqual(['session.created'])
    expect(payload).toMatchObject({ hook_event_name: 'tool.execute.after', session_id: 's1' })
    expect(output.output).toBe('done\n\n1 unread')
  },
)

test.runIf(hasProgram('curl'))(
  'a daemon that does not answer is left alone after the first event, and a start is told all the same (OP-29)',
  async () => {
    await using dir = await createTempDir()
    await using daemon = await FakeDaemon.start()
    const plugin = await loadCallingPlugin(dir, daemon)
    const idle = { event: { type: 'session.idle', properties: { sessionID: 's1' } } }

    await plugin['event']?.(idle)
    await plugin['event']?.(idle)
    await plugin['event']?.({ event: { type: 'session.created', properties: { info: { id: 's2' } } } })

    expect(daemon.untaken).toBe(1)
    expect(asked(dir).map(([, { session_id }]) => session_id)).toEqual(['s2'])
  },
)
