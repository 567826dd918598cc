import { expect, test } from 'vitest'
import { startTestDaemon } from '../../support/daemon.ts'
import { hasProgram } from '../../support/needs.ts'
import { agentd, startOnTerminal } from '../support.ts'

const ESCAPE = '\u001b['

test.runIf(hasProgram('script'))(
  '--no-color before and behind a command leaves a terminal without colours',
  async () => {
    await using daemon = await startTestDaemon()
    const onTerminal = async (words: readonly string[]): Promise<string> => {
      await using running = startOnTerminal(daemon.env, words)
      return (await running.ended).stdout
    }

    const coloured = await onTerminal(['status'])
    const plain = [await onTerminal(['status', '--no-color']), await onTerminal(['--no-color', 'status'])]

    expect(coloured).toContain(ESCAPE)
    for (const text of plain) {
      expect(text).toContain('agentd')
      expect(text).not.toContain(ESCAPE)
    }
  },
)

test('in a pipe FORCE_COLOR colours, --no-color takes it back, and JSON has none', async () => {
  await using daemon = await startTestDaemon()
  const env = { ...daemon.env, FORCE_COLOR: '1' }

  const forced = await agentd(env, ['status'])
  const plain = await agentd(env, ['status', '--no-color'])
  const json = await agentd(env, ['status', '--json'])

  expect(forced.stdout).toContain(ESCAPE)
  expect(plain.stdout).not.toContain(ESCAPE)
  expect(JSON.parse(json.stdout)).toMatchObject({ principal: expect.any(String) })
  expect(json.stdout).not.toContain(ESCAPE)
})
