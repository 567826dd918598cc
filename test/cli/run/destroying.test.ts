/**
 * What takes something away keeps one custom: `--dry-run` says what it would be without anybody there, and without a terminal
 * nothing happens unless `--yes` was said, where there is such a word at all (FED-44).
 */
import { expect, test } from 'vitest'
import { createProgram } from '../../../src/cli/program.ts'
import { agentd, createUser, words } from '../support.ts'

/** Command → whether a script may say yes; what changes whose word counts takes the person at a terminal. */
const DESTROYING: Readonly<Record<string, boolean>> = {
  history: true,
  uninstall: true,
  setup: true,
  'keys revoke': true,
  'link remove': true,
  'link hub revoke': false,
  'handles remove': false,
  'org remove': false,
  'org member remove': false,
  'accord revoke': false,
}

test('each of them has --dry-run, and --yes where it is no matter of authority', () => {
  for (const [line, hasYes] of Object.entries(DESTROYING)) {
    const command = words(line).reduce(
      (at, name) => at.commands.find((one) => one.name() === name) ?? at,
      createProgram([]),
    )
    const flags = command.options.map(({ long }) => long)
    expect([line, command.name(), flags.includes('--dry-run'), flags.includes('--yes')]).toEqual([
      line,
      words(line).at(-1),
      true,
      hasYes,
    ])
  }
})

test('keys revoke says what follows, and changes nothing with --dry-run, nor without a terminal and --yes', async () => {
  await using user = await createUser()
  await agentd(user.env, ['keys', 'new', 'agent.reviewer', '--kid', 'k1'])
  const status = async (): Promise<string> =>
    JSON.parse((await agentd(user.env, ['keys', 'list', '--json'])).stdout).keys[0].state

  const dry = await agentd(user.env, ['keys', 'revoke', 'k1', '--dry-run', '--yes'])
  expect(dry).toEqual({
    code: 0,
    stdout:
      'would ask: Revoke the key k1 for agent.reviewer? What it has signed and signs counts no more, and it cannot be trusted again.\n',
    stderr: 'Nothing was changed.\n',
  })
  expect(await agentd(user.env, ['keys', 'revoke', 'k1'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('look with --dry-run, then repeat with --yes'),
  })
  expect(await status()).toBe('trusted')
  expect(await agentd(user.env, ['keys', 'revoke', 'k1', '--yes'])).toMatchObject({ code: 0 })
  expect(await status()).toBe('revoked')
})

test('a handle stays with --dry-run and without a terminal, and uninstall takes nothing out', async () => {
  await using user = await createUser()
  await agentd(user.env, ['start'])

  expect(await agentd(user.env, ['uninstall', '--dry-run', '--yes'])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^would take out:\n.*daemon/s),
  })
  expect(await agentd(user.env, ['uninstall'])).toMatchObject({ code: 2 })
  expect((await agentd(user.env, ['status'])).code).toBe(0)
  expect(await agentd(user.env, ['handles', 'remove', '~bob', '--dry-run'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('is not declared'),
  })
})
