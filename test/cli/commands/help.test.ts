import { expect, test } from 'vitest'
import { widthOf } from '../../../src/core/display/width.ts'
import { formatTopic } from '../../../src/cli/help/topic.ts'
import { TOPICS, formatTopics } from '../../../src/cli/help/topics.ts'
import { agentd, createUser } from '../support.ts'

/** Of the smallest terminal that is still common, with a line for the prompt. */
const COLUMNS = 80
const LINES = 23

test('each topic fits a terminal, has a line in the list and something to type or a table', () => {
  expect(TOPICS.length).toBeGreaterThan(10)
  expect(new Set(TOPICS.map(({ name }) => name)).size).toBe(TOPICS.length)
  for (const topic of TOPICS) {
    const lines = formatTopic(topic).split('\n')
    expect([topic.name, lines.filter((line) => widthOf(line) > COLUMNS)]).toEqual([topic.name, []])
    expect([topic.name, lines.length <= LINES]).toEqual([topic.name, true])
    expect(formatTopics()).toContain(`  ${topic.name}`)
    expect(topic.blocks.some((block) => !('text' in block))).toBe(true)
  }
})

test('help shows a command, one within it, the topics and a topic, and asks no daemon', async () => {
  await using user = await createUser()

  const program = await agentd(user.env, ['help'])
  const within = await agentd(user.env, ['help', 'keys', 'new'])
  const asOption = await agentd(user.env, ['keys', 'new', '--help'])
  const topics = await agentd(user.env, ['help', 'topics'])
  const scopes = await agentd(user.env, ['help', 'scopes'])
  const status = await agentd(user.env, ['status'])

  expect(program).toMatchObject({
    code: 0,
    stderr: '',
    stdout: expect.stringContaining('\nLook and listen:\n'),
  })
  expect(within).toEqual(asOption)
  expect(topics).toEqual({ code: 0, stderr: '', stdout: `${formatTopics()}\n` })
  expect(scopes).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('~alice/cc-*') })
  expect(status.code).toBe(69)
})

test('with --json it is an object with the text, or a list of the topics', async () => {
  await using user = await createUser()

  const topic = await agentd(user.env, ['help', 'kinds', '--json'])
  const topics = await agentd(user.env, ['help', 'topics', '--json'])

  expect(JSON.parse(topic.stdout)).toMatchObject({
    help: 'kinds',
    text: expect.stringContaining('agent_query'),
  })
  expect(JSON.parse(topics.stdout)).toEqual({ topics: TOPICS.map(({ name, says }) => ({ name, says })) })
})

test('what is neither a command nor a topic is a wrong usage that names near ones', async () => {
  await using user = await createUser()

  const begun = await agentd(user.env, ['help', 'scop'])
  const misspelled = await agentd(user.env, ['help', 'filtres'])
  const strange = await agentd(user.env, ['help', 'xyzzy\u001b[31m'])
  const within = await agentd(user.env, ['help', 'keys', 'nwe'])

  expect(begun).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('did you mean scopes') })
  expect(misspelled).toMatchObject({ code: 2, stderr: expect.stringContaining('filters') })
  expect(strange).toMatchObject({ code: 2, stderr: expect.stringContaining('"agentd help topics" lists') })
  expect(strange.stderr).not.toContain('\u001b')
  expect(within).toMatchObject({ code: 2, stderr: expect.stringContaining('keys') })
})

test('the version is printed for each way to ask for it, wherever the option stands, and no daemon is asked', async () => {
  await using user = await createUser()
  const ways = [['version'], ['-v'], ['-V'], ['--version'], ['roster', '--version'], ['--socket', '/x', '-v']]

  const said = await Promise.all(ways.map((way) => agentd(user.env, way)))
  const objects = await Promise.all(
    [
      ['version', '--json'],
      ['--json', '-v'],
      ['--version', '--json'],
    ].map((way) => agentd(user.env, way)),
  )
  const status = await agentd(user.env, ['status'])

  for (const one of said)
    expect(one).toEqual({ code: 0, stderr: '', stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) })
  for (const { stdout } of objects)
    expect(JSON.parse(stdout)).toMatchObject({
      version: said[0]?.stdout.trim(),
      node: process.versions.node,
      platform: process.platform,
      sqlite: {},
    })
  expect(status.code).toBe(69)
})
