/**
 * Tools that a runtime's own settings keep from the model (OP-31).
 */
import { expect, test } from 'vitest'
import { complaints, createClinic, findingOf } from './clinic.ts'

const SERVER = { command: '/n', args: ['/p/bin/agentd.cjs', 'mcp'] }

test.each([
  [
    'claude-code',
    '.claude/settings.json',
    JSON.stringify({ permissions: { deny: ['Bash', 'mcp__agentd__agentd_send', 'mcp__agentd2__x'] } }),
    ': permissions.deny mcp__agentd__agentd_send.',
  ],
  [
    'claude-code',
    '.claude/settings.json',
    '{"permissions":{"deny":["mcp__*"]}}',
    ': permissions.deny mcp__*.',
  ],
  [
    'claude-code',
    '.claude/settings.json',
    '{"deniedMcpServers":[{"serverName":"agentd"}]}',
    ': deniedMcpServers agentd.',
  ],
  [
    'codex',
    '.codex/config.toml',
    '[mcp_servers.agentd]\ncommand = "/n"\nargs = ["/p/bin/agentd.cjs", "mcp"]\ndisabled_tools = ["agentd_ask"]\nenabled_tools = ["agentd_inbox"]\n',
    ': disabled_tools agentd_ask, all that enabled_tools does not name.',
  ],
  [
    'gemini',
    '.gemini/settings.json',
    JSON.stringify({
      mcpServers: { agentd: { ...SERVER, excludeTools: ['agentd_lock'], includeTools: [] } },
    }),
    ': excludeTools agentd_lock, all that includeTools does not name.',
  ],
  [
    'opencode',
    '.config/opencode/opencode.json',
    JSON.stringify({
      permission: { bash: 'deny', 'agentd*': 'deny', agentd_x: 'ask' },
      tools: { agentd_y: false },
    }),
    ': permission agentd*, tools agentd_y.',
  ],
])('%s: what %s denies is named', async (runtime, file, text, rules) => {
  await using clinic = await createClinic()
  clinic.home.write(file, text)

  const found = findingOf(await clinic.examine([runtime]), 'mcp-denied')

  expect(found).toMatchObject({
    area: runtime,
    state: 'warn',
    fix: `take that out of ${clinic.home.path(file)}`,
  })
  expect(found.sentence).toBe(`${clinic.home.path(file)} keeps tools of agentd from the model${rules}`)
})

test('what others deny to others is no business of ours', async () => {
  await using clinic = await createClinic()
  clinic.home.write('.claude/settings.json', '{"permissions":{"deny":["mcp__agentdx","Read"]}}')
  clinic.home.write('.config/opencode/opencode.json', '{"permission":"ask","tools":{"other_agentd_x":false}}')

  const findings = await clinic.examine(['claude-code', 'opencode'])

  expect([...complaints(findings, 'claude-code'), ...complaints(findings, 'opencode')]).toEqual([])
})

test('Claude Code denies in a -p run what nobody has allowed, and that is said until somebody has', async () => {
  await using clinic = await createClinic()
  clinic.home.write('.claude.json', JSON.stringify({ mcpServers: { agentd: SERVER } }))

  clinic.home.write('.claude/settings.json', '{"permissions":{"allow":["mcp__*"]}}')
  const before = findingOf(await clinic.examine(['claude-code']), 'mcp-allowed')
  clinic.home.write('.claude/settings.json', '{"permissions":{"allow":["mcp__agentd"]}}')
  const after = await clinic.examine(['claude-code'])

  expect(before).toMatchObject({ state: 'off', fix: expect.stringContaining('permissions.allow') })
  expect(after.some(({ name }) => name === 'mcp-allowed')).toBe(false)
})
