import { UsageError } from '../../../src/core/errors.ts'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, test } from 'vitest'
import { configPath } from '../../../src/host/config/paths.ts'
import { principalFrom } from '../../../src/host/config/principal.ts'
import { createTempDir } from '../../support/temp-dir.ts'
import { surroundings } from '../surroundings.ts'

test('the principal is named by flag, variable, configuration and user, in this order', async () => {
  await using dir = await createTempDir()
  const env: Record<string, string> = { AGENTD_PRINCIPAL: 'by-env' }
  const environment = surroundings(dir.path, { env })
  mkdirSync(dirname(configPath(environment)), { recursive: true })
  writeFileSync(configPath(environment), '{"principal":"~by-config"}', { mode: 0o600 })

  expect(principalFrom(environment, '~by-flag')).toBe('~by-flag')
  expect(principalFrom(environment)).toBe('~by-env')
  delete env['AGENTD_PRINCIPAL']
  expect(principalFrom(environment)).toBe('~by-config')
  writeFileSync(configPath(environment), '{}')
  expect(principalFrom(environment)).toBe('~alice')
})

test.each([
  ['alice', '~alice'],
  ['Alice.Smith', '~alice-smith'],
  ['DOMAIN\\alice', '~domain-alice'],
  ['__alice__', '~alice'],
  ['a  b', '~a-b'],
  ['jörg', '~j-rg'],
  ['x'.repeat(40), `~${'x'.repeat(32)}`],
  [`${'x'.repeat(31)}-y`, `~${'x'.repeat(31)}`],
  ['李', '~u-1000'],
  ['', '~u-1000'],
  ['org', '~u-org'],
  ['ORG.', '~u-org'],
  ['org-x', '~org-x'],
  ['cc-alice', '~u-cc-alice'],
  ['gpt-4', '~u-gpt-4'],
  ['gemini-x', '~u-gemini-x'],
  ['llama.x', '~u-llama-x'],
  ['claude-', '~claude'],
  ['mistral_x', '~u-mistral-x'],
  [`cc-${'x'.repeat(40)}`, `~u-cc-${'x'.repeat(27)}`],
])('the user name "%s" folds to %s (ACQ-10, ACQ-11)', (userName, handle) => {
  expect(principalFrom(surroundings('/nowhere', { userName, uid: 1000 }))).toBe(handle)
})

test.each(['~Alice', 'a b', '~', '', 'alice-', '-a', 'x'.repeat(33), '~~a', 'a.bot', '~org', 'a\n'])(
  'the name %j is refused where a person chose it',
  (name) => {
    expect(() => principalFrom(surroundings('/nowhere'), name)).toThrow(UsageError)
    expect(() => principalFrom(surroundings('/nowhere'), name)).toThrow('--principal')
  },
)

test.each(['~claude-dupont', 'cc-x', '~gpt-4'])(
  'the name %j is taken: how it begins is a custom and no tier (ACQ-11)',
  (name) => {
    expect(principalFrom(surroundings('/nowhere'), name)).toBe(name.startsWith('~') ? name : `~${name}`)
  },
)
