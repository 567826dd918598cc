import { UsageError } from '../../../../src/core/errors.ts'
import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { processStartTime } from '../../../../src/host/process/processes.ts'
import { codexHookHash } from '../../../../src/runtimes/codex/trust.ts'
import { hookEntries } from '../../../../src/runtimes/doctor/hook-file.ts'
import { hookLine } from '../../../../src/runtimes/setup/files/launch.ts'
import { programVersion } from '../../../../src/runtimes/doctor/examination/program-version.ts'
import { startTestDaemon } from '../../../support/daemon.ts'
import { post } from '../../../support/http.ts'
import { createTempDir } from '../../../support/temp-dir.ts'
import { ALL, snapshotOf } from '../../setup/home.ts'
import { payloadOf } from '../../support/fixtures.ts'
import { complaints, createClinic, findingOf, type Clinic } from '../clinic.ts'

const VERSIONS = {
  claude: '2.1.332 (Claude Code)',
  codex: 'codex-cli 0.171.0',
  cursor: '3.1.15\nabc\nx64',
  gemini: '0.61.0',
  copilot: '1.0.102',
  code: '1.130.0',
  opencode: '1.18.33',
}

/** Everything is set up, and Codex and Gemini CLI have been told to trust it. */
async function createWellClinic(options: Parameters<typeof createClinic>[0] = {}): Promise<Clinic> {
  const clinic = await createClinic({ programs: VERSIONS, ...options })
  // Claude Code keeps its servers itself.
  clinic.program('claude', `case "$1" in --version) echo '2.1.332 (Claude Code)';; esac`)
  await clinic.home.install(ALL, { plugin: true })
  const server = { command: clinic.launch.node, args: [clinic.launch.script, 'mcp'] }
  clinic.home.write('.claude.json', JSON.stringify({ mcpServers: { agentd: server } }))
  trustCodexHooks(clinic)
  writeGeminiRules(clinic, { [clinic.surroundings.directory]: 'TRUST_FOLDER' })
  return clinic
}

/** As `/permissions` in Gemini CLI does. */
function writeGeminiRules({ home }: Clinic, rules: Readonly<Record<string, string>>): void {
  home.write('.gemini/trustedFolders.json', JSON.stringify(rules))
}

/** As `/hooks` in Codex does. */
function trustCodexHooks({ home }: Clinic): void {
  const { hooks } = JSON.parse(home.read('.codex/hooks.json'))
  const states = hookEntries(hooks, 'codex').map((entry) => {
    const event = entry.event.replaceAll(/(?<=[a-z])[A-Z]/g, (capital) => `_${capital}`).toLowerCase()
    const key = `${home.path('.codex/hooks.json')}:${event}:${entry.group}:${entry.index}`
    return `\n[hooks.state.${JSON.stringify(key)}]\ntrusted_hash = "${codexHookHash(entry)}"\n`
  })
  home.write('.codex/config.toml', home.read('.codex/config.toml') + states.join(''))
}

function change(clinic: Clinic, name: string, edit: (text: string) => string): void {
  clinic.home.write(name, edit(clinic.home.read(name)))
}

describe('a machine on which all is well', () => {
  test('nothing is complained of, and nothing is changed by looking', async () => {
    await using clinic = await createWellClinic()
    const before = snapshotOf(clinic.home.dir.path)

    const findings = await clinic.examine([])

    expect(findings.filter(({ state }) => state === 'warn' || state === 'fail')).toEqual([])
    expect(new Set(findings.map(({ area }) => area))).toEqual(new Set(['agentd', ...ALL]))
    expect(snapshotOf(clinic.home.dir.path)).toEqual(before)
  })

  test('each runtime says its version, and where another one was tried, which', async () => {
    await using clinic = await createWellClinic()
    clinic.program('codex', "echo 'codex-cli 0.172.1'")

    const findings = await clinic.examine(['claude-code', 'codex', 'cursor'])
    const said = findings.filter(({ name }) => name === 'installed').map(({ sentence }) => sentence)

    const bin = clinic.home.dir.file('bin')
    expect(said).toEqual([
      `Claude Code 2.1.332 at ${bin}/claude.`,
      `Codex CLI 0.172.1 at ${bin}/codex; 0.171.0 was tried.`,
      `Cursor 3.1.15 at ${bin}/cursor.`,
    ])
  })

  test('when a hook was last heard is told by the daemon that answers them', async () => {
    await using dir = await createTempDir()
    const state = { runtime: 'codex', sessionId: 's1', atMs: Date.now() - 3 * 3_600_000 }
    // Of an earlier version; the daemon takes it over when it starts.
    mkdirSync(dir.file('hooks'), { mode: 0o700 })
    writeFileSync(dir.file('hooks', `codex-${'0'.repeat(32)}.json`), JSON.stringify(state), { mode: 0o600 })
    await using daemon = await startTestDaemon({ dir })
    await using clinic = await createWellClinic({ env: { AGENTD_SOCKET: daemon.socket } })
    await post(daemon.socket, '/v1/hooks/cursor', payloadOf('cursor', 'session-start'))

    const findings = await clinic.examine(['codex', 'cursor', 'gemini'])
    await daemon.stop()
    const unanswered = await clinic.examine(['codex'])

    const heard = [...findings, ...unanswered].filter(({ name }) => name === 'heard')
    expect(heard.map(({ area, state: found, sentence }) => [area, found, sentence])).toEqual([
      ['codex', 'ok', 'A hook of Codex CLI was last heard 3h ago.'],
      ['cursor', 'ok', 'A hook of Cursor was last heard just now.'],
      ['gemini', 'off', 'No hook of Gemini CLI has been heard yet.'],
      ['codex', 'off', 'No hook of Codex CLI has been heard yet.'],
    ])
  })
})

describe('what is not set up', () => {
  test('without names, only what this machine has is looked at', async () => {
    await using clinic = await createClinic({ programs: { codex: 'codex-cli 0.171.0' } })

    const findings = await clinic.examine([])

    expect(new Set(findings.map(({ area }) => area))).toEqual(new Set(['agentd', 'codex']))
    expect(findingOf(findings, 'hooks')).toMatchObject({ state: 'off', fix: 'agentd setup codex' })
    expect(findingOf(findings, 'mcp')).toMatchObject({ state: 'off', fix: 'agentd setup codex' })
  })

  test('a machine without any runtime is told so, and a named one that is not there is off', async () => {
    await using clinic = await createClinic()

    expect(findingOf(await clinic.examine([]), 'runtimes').state).toBe('off')
    expect(findingOf(await clinic.examine(['cursor']), 'installed')).toMatchObject({
      area: 'cursor',
      state: 'off',
    })
  })

  test.each(['emacs', 'git'])('%s is no runtime to look at', async (name) => {
    await using clinic = await createClinic()

    await expect(clinic.examine([name])).rejects.toThrow(UsageError)
  })

  test('hooks of others are counted and not taken for ours', async () => {
    await using clinic = await createClinic()
    clinic.home.write(
      '.codex/hooks.json',
      '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"bell"}]}]}}',
    )

    const found = findingOf(await clinic.examine(['codex']), 'hooks')

    expect(found).toMatchObject({
      state: 'off',
      sentence: 'No hooks of agentd are set up (1 of others are).',
    })
  })

  test('OpenCode has its hooks in a plugin that is only written on request', async () => {
    await using clinic = await createClinic()
    await clinic.home.install(['opencode'])

    const findings = await clinic.examine(['opencode'])

    expect(findingOf(findings, 'hooks')).toMatchObject({
      state: 'off',
      fix: 'agentd setup opencode --plugin',
    })
    expect(findingOf(findings, 'mcp').state).toBe('ok')
  })
})

describe('after an upgrade', () => {
  test.each(ALL)('a Node that is gone is said of the hooks and of the server of %s', async (runtime) => {
    await using clinic = await createWellClinic()
    const gone = clinic.home.dir.file('old-node')
    symlinkSync(process.execPath, gone)
    await clinic.home.moved({ ...clinic.launch, node: gone }).install(ALL, { plugin: true })
    const server = { command: gone, args: [clinic.launch.script, 'mcp'] }
    clinic.home.write('.claude.json', JSON.stringify({ mcpServers: { agentd: server } }))

    const old = complaints(await clinic.examine([runtime]), runtime)
    rmSync(gone)
    const broken = complaints(await clinic.examine([runtime]), runtime)

    expect(old).toContain('warn hooks-paths')
    expect(broken).toEqual(expect.arrayContaining(['fail hooks-paths', 'fail mcp']))
  })

  test('a script that is gone is named, and a new set-up is what helps', async () => {
    await using clinic = await createWellClinic()
    rmSync(clinic.launch.script)

    const findings = await clinic.examine(['gemini'])

    expect(findingOf(findings, 'hooks-paths')).toMatchObject({
      state: 'fail',
      sentence: expect.stringContaining(`${clinic.launch.script} is gone`),
      fix: 'agentd setup gemini',
    })
  })

  test('a path with blanks in it is read from the line of a shell', async () => {
    await using clinic = await createClinic({ programs: { codex: '1.0.0' } })
    const folder = clinic.home.dir.file("it's here")
    mkdirSync(folder)
    writeFileSync(`${folder}/agentd.cjs`, '')
    const launch = { ...clinic.launch, script: `${folder}/agentd.cjs` }
    await clinic.home.moved(launch).install(['codex'])

    const findings = await clinic.examine(['codex'], { launch })

    expect(findingOf(findings, 'hooks').state).toBe('ok')
  })

  test('hooks that lack one of the events are out of date', async () => {
    await using clinic = await createWellClinic()
    change(clinic, '.gemini/settings.json', (text) => {
      const settings = JSON.parse(text)
      delete settings.hooks.AfterTool
      return JSON.stringify(settings)
    })

    expect(complaints(await clinic.examine(['gemini']), 'gemini')).toEqual(['warn hooks'])
  })
})

describe('the server', () => {
  test('one that is not ours is left out of account', async () => {
    await using clinic = await createWellClinic()
    clinic.home.write('.cursor/mcp.json', '{"mcpServers":{"agentd":{"command":"other"}}}')

    expect(complaints(await clinic.examine(['cursor']), 'cursor')).toEqual(['warn mcp'])
  })

  test.each([
    ['codex', 'fail mcp-socket'],
    ['copilot', 'fail mcp-socket'],
    ['cursor', 'warn mcp-socket'],
  ])('a socket that %s does not tell its server of is out of its reach', async (runtime, complaint) => {
    await using clinic = await createWellClinic()
    const { environment } = clinic.surroundings
    const env = { ...environment.env, AGENTD_SOCKET: clinic.home.dir.file('else.sock') }

    const findings = await clinic.examine([runtime], { environment: { ...environment, env } })

    expect(complaints(findings, runtime)).toEqual([complaint])
  })

  test('a socket whose place stands in the entry is within reach', async () => {
    await using clinic = await createWellClinic({ env: { AGENTD_SOCKET: '/run/agentd-else/agentd.sock' } })

    expect(complaints(await clinic.examine(['codex', 'copilot']), 'codex')).toEqual([])
    expect(complaints(await clinic.examine(['codex', 'copilot']), 'copilot')).toEqual([])
  })
})

describe('Claude Code is silently off', () => {
  test.each([
    ['.claude/settings.json', '{"disableAllHooks":true}', 'fail disable-all-hooks'],
    ['.claude/settings.json', '{"hooks":', 'fail hooks-file'],
  ])('%s says %s', async (name, text, complaint) => {
    await using clinic = await createWellClinic()
    clinic.home.write(name, text)

    expect(complaints(await clinic.examine(['claude-code']), 'claude-code')).toContain(complaint)
  })

  test.each([
    ['{"disableAllHooks":true}', 'fail disable-all-hooks'],
    ['{"allowManagedHooksOnly":true}', 'fail managed-hooks-only'],
    ['{"strictPluginOnlyCustomization":["hooks"]}', 'fail plugin-only-customization'],
    ['{"strictPluginOnlyCustomization":true}', 'fail plugin-only-customization'],
  ])('an administrator says %s, in either place', async (text, complaint) => {
    await using clinic = await createWellClinic()
    clinic.decree('claude-code/managed-settings.json', text)
    clinic.decree('claude-code/managed-settings.d/50-all.json', text)

    expect(complaints(await clinic.examine(['claude-code']), 'claude-code')).toEqual([complaint, complaint])
  })

  test('what only an administrator may say counts from nobody else', async () => {
    await using clinic = await createWellClinic()
    change(clinic, '.claude/settings.json', (text) => text.replace('{', '{"allowManagedHooksOnly":true,'))

    expect(complaints(await clinic.examine(['claude-code']), 'claude-code')).toEqual([])
  })

  test('a variable switches it to a mode without hooks', async () => {
    await using clinic = await createWellClinic({ env: { CLAUDE_CODE_SIMPLE: '1' } })

    expect(complaints(await clinic.examine(['claude-code']), 'claude-code')).toEqual(['fail simple-mode'])
  })

  test('plugin and settings both bring the hooks', async () => {
    await using clinic = await createWellClinic()
    change(clinic, '.claude/settings.json', (text) =>
      text.replace('{', '{"enabledPlugins":{"agentd@agentd-local":true},'),
    )

    expect(complaints(await clinic.examine(['claude-code']), 'claude-code')).toEqual(['warn hooks-double'])
  })

  test('the settings of the user and of the project both bring them', async () => {
    await using clinic = await createWellClinic()
    mkdirSync(clinic.home.dir.file('project', '.claude'))
    const text = clinic.home.read('.claude/settings.json')
    writeFileSync(clinic.home.dir.file('project', '.claude', 'settings.local.json'), text)

    expect(complaints(await clinic.examine(['claude-code']), 'claude-code')).toEqual(['warn hooks-double'])
  })

  test('the copy that was made of the plugin starts a Node that is gone', async () => {
    await using clinic = await createClinic()
    const folder = clinic.home.dir.file('plugin')
    await clinic.home
      .moved({ ...clinic.launch, node: '/gone/node' })
      .install(['claude-code'], { pluginFolder: folder })
    clinic.home.write('.claude/settings.json', '{"enabledPlugins":{"agentd@agentd-local":true}}')
    const cache = clinic.home.path('.claude/plugins/cache/agentd-local/agentd')
    mkdirSync(cache, { recursive: true })
    symlinkSync(`${folder}/agentd`, `${cache}/0.1.0`)

    const findings = await clinic.examine(['claude-code'])

    expect(complaints(findings, 'claude-code')).toEqual(['fail hooks-paths'])
    expect(findingOf(findings, 'mcp').sentence).toBe('The plugin brings the server.')
  })

  test('a copy that was made of an earlier plugin is called old, and the same lines are not (OP-12)', async () => {
    await using clinic = await createClinic()
    const folder = clinic.home.dir.file('plugin')
    await clinic.home.install(['claude-code'], { pluginFolder: folder })
    clinic.home.write('.claude/settings.json', '{"enabledPlugins":{"agentd@agentd-local":true}}')
    const cache = clinic.home.path('.claude/plugins/cache/agentd-local/agentd')
    mkdirSync(cache, { recursive: true })
    symlinkSync(`${folder}/agentd`, `${cache}/0.1.0`)
    const call = { curl: '/usr/bin/curl', socket: '/nowhere/agentd.sock', keyHeader: undefined }

    const same = await clinic.examine(['claude-code'])
    const other = await clinic.examine(['claude-code'], { launch: { ...clinic.launch, call } })

    expect(complaints(same, 'claude-code')).toEqual([])
    expect(complaints(other, 'claude-code')).toEqual(['warn hooks'])
    expect(findingOf(other, 'hooks').fix).toContain('--plugin <folder>, and update the plugin')
  })

  test('a shut inbox socket is no harm while a hook waits, and is one when none does', async () => {
    await using clinic = await createWellClinic({ env: { DO_NOT_TRACK: '1' } })
    const waited = findingOf(await clinic.examine(['claude-code']), 'inbox-socket')
    change(clinic, '.claude/settings.json', (text) => text.replaceAll(' --wait;', ' --else;'))

    const alone = findingOf(await clinic.examine(['claude-code']), 'inbox-socket')

    expect([waited.state, alone.state]).toEqual(['ok', 'warn'])
  })
})

describe('Codex is silently off', () => {
  // Captured from `hooks/list` of Codex 0.169.0 for exactly these handlers.
  test.each([
    [
      'PreToolUse',
      'apply_patch|Edit|Write',
      { timeout: 5, statusMessage: 'hé' },
      'b2eaf35af68b5102d0199aaee64a63b6a1682669d167f43e9a0131ec2f8a39f2',
    ],
    [
      'PostToolUse',
      '*',
      { timeout: 5, async: true },
      '5458a466fd05eda7f192033a88aa99289aa72e1aa741eaa7ba554dc2cf80943f',
    ],
    [
      'PreCompact',
      undefined,
      { timeout: 5 },
      'aee04a7a2b09f44f7843db60379d522ea86daf978d8c99ed5a0b7c487beebfb7',
    ],
    [
      'SessionStart',
      'startup|resume|clear|compact',
      { timeout: 5 },
      'ad2aa8735a3b11683f0e92e3b8c3c659ad2e255e7d6a4f77ec8046b117d7945d',
    ],
    [
      'UserPromptSubmit',
      '*',
      { timeout: 5 },
      '80974ed34a3544983fe61366a9f485b21c6ef625a1d1d430ff6b161b6a9573b2',
    ],
    ['SessionEnd', undefined, {}, '3f993c3b933a9bec0d01da4f95d27fa81802f1de3f8c7e6ba4f75a4f34d056c8'],
    [
      'SessionEnd',
      'other',
      { timeout: 9 },
      '937d1f4d32edb0cdd04f86531fd0eea64e0ddfbca30481e1394cdddb847cef25',
    ],
    ['Interrupt', undefined, {}, '56e87e3fd8437ddfb697a14450930577973957b0de6d98e92ff0c97dcd757cc6'],
  ])(
    'the hash of a %s hook with matcher %s and %j is that of Codex 0.169.0',
    (event, matcher, fields, hash) => {
      const command = '/usr/bin/node /opt/agentd/bin/agentd.cjs hook codex'
      const [entry] = hookEntries(
        { [event]: [{ matcher, hooks: [{ type: 'command', command, ...fields }] }] },
        'codex',
      )

      expect(entry && codexHookHash(entry)).toBe(`sha256:${hash}`)
    },
  )

  test('what was never trusted is skipped, and /hooks is what helps', async () => {
    await using clinic = await createClinic()
    await clinic.home.install(['codex'])

    const found = findingOf(await clinic.examine(['codex']), 'hooks-trust')

    expect(found).toMatchObject({ state: 'fail', fix: 'run /hooks in Codex and trust agentd' })
    expect(found.sentence).toContain('6 of our 6 hooks')
    expect(found.sentence).toContain('they are not trusted')
  })

  test('a group that was put before ours moves it to a place that is not trusted', async () => {
    await using clinic = await createWellClinic()
    change(clinic, '.codex/hooks.json', (text) => {
      const file = JSON.parse(text)
      file.hooks.Stop.unshift({ hooks: [{ type: 'command', command: 'bell' }] })
      return JSON.stringify(file)
    })

    const found = findingOf(await clinic.examine(['codex']), 'hooks-trust')

    expect(found.sentence).toContain('1 of our 6 hooks')
    expect(found.sentence).toContain('(Stop): they are not trusted')
  })

  test('a changed timeout is a changed hook', async () => {
    await using clinic = await createWellClinic()
    change(clinic, '.codex/hooks.json', (text) => text.replace('"timeout": 5', '"timeout": 6'))

    expect(findingOf(await clinic.examine(['codex']), 'hooks-trust').sentence).toContain(
      'changed since they were trusted',
    )
  })

  test('a hook can be switched off in /hooks', async () => {
    await using clinic = await createWellClinic()
    change(clinic, '.codex/config.toml', (text) =>
      text.replace('trusted_hash', 'enabled = false\ntrusted_hash'),
    )

    expect(findingOf(await clinic.examine(['codex']), 'hooks-trust').sentence).toContain(
      'switched off in /hooks',
    )
  })

  test.each([
    ['a comment', (text: string) => `// mine\n${text}`],
    ['a member it does not know', (text: string) => text.replace('{', '{"version": 1,')],
    [
      'a handler of a type it does not know',
      (text: string) =>
        text.replace('"hooks": {', '"hooks": {"SubagentStop":[{"hooks":[{"type":"http","url":"x"}]}],'),
    ],
  ])('%s makes it drop the whole file', async (_, edit) => {
    await using clinic = await createWellClinic()
    change(clinic, '.codex/hooks.json', edit)

    expect(complaints(await clinic.examine(['codex']), 'codex')).toContain('fail hooks-file')
  })

  test('a handler of any type under an event it does not know does no harm', async () => {
    await using clinic = await createWellClinic()
    change(clinic, '.codex/hooks.json', (text) =>
      text.replace('"hooks": {', '"hooks": {"Notification":[{"hooks":[{"type":"http","url":"x"}]}],'),
    )

    expect(complaints(await clinic.examine(['codex']), 'codex')).toEqual([])
  })

  test.each(['hooks', 'codex_hooks'])('[features] %s = false switches hooks off', async (name) => {
    await using clinic = await createWellClinic()
    change(clinic, '.codex/config.toml', (text) => `[features]\n${name} = false\n\n${text}`)

    expect(complaints(await clinic.examine(['codex']), 'codex')).toEqual(['fail features-hooks'])
  })

  test('an administrator can require that', async () => {
    await using clinic = await createWellClinic()
    clinic.decree('codex/requirements.toml', '[features]\nhooks = false\n')

    expect(complaints(await clinic.examine(['codex']), 'codex')).toEqual(['fail features-hooks'])
  })

  test('the server can be switched off by itself', async () => {
    await using clinic = await createWellClinic()
    change(clinic, '.codex/config.toml', (text) =>
      text.replace('[mcp_servers.agentd]', '[mcp_servers.agentd]\nenabled = false'),
    )

    expect(complaints(await clinic.examine(['codex']), 'codex')).toEqual(['fail mcp-enabled'])
  })

  test('files of a project that is not trusted do not count', async () => {
    await using clinic = await createClinic({ scope: 'project' })
    await clinic.home.install(['codex'])
    mkdirSync(clinic.home.path('.codex'))

    expect(complaints(await clinic.examine(['codex']), 'codex')).toEqual([
      'fail hooks-trust',
      'warn project-trust',
    ])
  })
})

describe('the others are silently off', () => {
  test.each([
    ['gemini', '.gemini/settings.json', '"hooksConfig":{"enabled":false}', 'fail hooks-enabled'],
    ['gemini', '.gemini/settings.json', '"hooksConfig":{"disabled":["agentd"]}', 'fail hooks-disabled'],
    ['gemini', '.gemini/settings.json', '"mcp":{"excluded":["agentd"]}', 'fail mcp-enabled'],
    ['gemini', '.gemini/settings.json', '"mcp":{"allowed":["docs"]}', 'fail mcp-enabled'],
    ['copilot', '.copilot/settings.json', '"disableAllHooks":true', 'fail disable-all-hooks'],
    ['copilot', '.copilot/hooks/agentd.json', '"disableAllHooks":true', 'fail disable-all-hooks'],
    ['vscode', '.config/Code/User/settings.json', '"chat.useHooks":false', 'fail use-hooks'],
    [
      'vscode',
      '.config/Code/User/settings.json',
      '"chat.hookFilesLocations":{"~/.copilot/hooks":false}',
      'fail hook-files-locations',
    ],
    ['vscode', '.config/Code/User/settings.json', '"chat.mcp.access":"none"', 'fail mcp-enabled'],
  ])('%s by %s with %s', async (runtime, name, member, complaint) => {
    await using clinic = await createWellClinic()
    const isThere = Object.hasOwn(clinic.home.snapshot(), name)
    if (!isThere) clinic.home.write(name, '{\n}')
    change(clinic, name, (text) => text.replace('{', `{${member}${isThere ? ',' : ''}`))

    expect(complaints(await clinic.examine([runtime]), runtime)).toEqual([complaint])
  })

  test('Gemini CLI counts timeouts in milliseconds, and five of them are too few', async () => {
    await using clinic = await createWellClinic()
    change(clinic, '.gemini/settings.json', (text) => text.replace('"timeout": 5000', '"timeout": 5'))

    expect(complaints(await clinic.examine(['gemini']), 'gemini')).toEqual(['fail hooks-timeout'])
  })

  test.each<[string, (folder: string) => Readonly<Record<string, string>>, readonly string[]]>([
    ['told not to trust', (folder) => ({ [folder]: 'DO_NOT_TRUST' }), ['warn folder-trust']],
    ['not told of', () => ({}), ['warn folder-trust']],
    ['told of a neighbour', (folder) => ({ [`${folder}-2`]: 'TRUST_FOLDER' }), ['warn folder-trust']],
    ['told to trust all above', (folder) => ({ [dirname(folder)]: 'TRUST_FOLDER' }), []],
    ['told to trust a neighbour and all beside', (folder) => ({ [`${folder}-2`]: 'TRUST_PARENT' }), []],
    [
      'told not to trust, below one it trusts',
      (folder) => ({ [folder]: 'DO_NOT_TRUST', [dirname(folder)]: 'TRUST_FOLDER' }),
      ['warn folder-trust'],
    ],
  ])('Gemini CLI in a folder it was %s', async (_, rules, expected) => {
    await using clinic = await createWellClinic()
    writeGeminiRules(clinic, rules(clinic.surroundings.directory))

    expect(complaints(await clinic.examine(['gemini']), 'gemini')).toEqual(expected)
  })

  test('Gemini CLI without a rule for the folder is said to exit where nobody can be asked', async () => {
    await using clinic = await createWellClinic()
    writeGeminiRules(clinic, {})

    const { sentence, fix } = findingOf(await clinic.examine(['gemini']), 'folder-trust')

    expect(sentence).toContain('starts no server and runs no hook there; without a terminal it exits with 55')
    expect(fix).toContain('trust the folder')
  })

  test.each<[string, Readonly<Record<string, string>>, readonly string[]]>([
    ['GEMINI_CLI_TRUST_WORKSPACE=true', { GEMINI_CLI_TRUST_WORKSPACE: 'true' }, []],
    ['GEMINI_CLI_TRUST_WORKSPACE=false', { GEMINI_CLI_TRUST_WORKSPACE: 'false' }, ['warn folder-trust']],
    ['GEMINI_RESTRICTED_MODE=true', { GEMINI_RESTRICTED_MODE: 'true' }, ['warn folder-trust']],
  ])('Gemini CLI asks %s before any rule', async (_, env, expected) => {
    await using clinic = await createWellClinic({ env })
    const rule = expected.length === 0 ? 'DO_NOT_TRUST' : 'TRUST_FOLDER'
    writeGeminiRules(clinic, { [clinic.surroundings.directory]: rule })

    expect(complaints(await clinic.examine(['gemini']), 'gemini')).toEqual(expected)
  })

  test('Gemini CLI trusts every folder where trust is switched off, unless administrators insist', async () => {
    await using clinic = await createWellClinic()
    writeGeminiRules(clinic, {})
    change(clinic, '.gemini/settings.json', (text) =>
      text.replace('{', '{"security":{"folderTrust":{"enabled":false}},'),
    )

    const alone = await clinic.examine(['gemini'])
    clinic.decree('gemini-cli/settings.json', '{"security":{"folderTrust":{"enabled":true}}}')
    const ruled = await clinic.examine(['gemini'])

    expect(complaints(alone, 'gemini')).toEqual([])
    expect(complaints(ruled, 'gemini')).toEqual(['warn folder-trust'])
  })

  test('Gemini CLI does not start with rules that cannot be read', async () => {
    await using clinic = await createWellClinic()
    clinic.home.write('.gemini/trustedFolders.json', '{ oops')

    expect(complaints(await clinic.examine(['gemini']), 'gemini')).toEqual(['fail config'])
  })

  test('Gemini CLI warns once of the hooks of a project, which is no fault', async () => {
    await using clinic = await createClinic({ scope: 'project', programs: { gemini: '0.61.0' } })
    await clinic.home.install(['gemini'])

    const fresh = findingOf(await clinic.examine(['gemini']), 'hooks-trust')
    const command = hookLine(clinic.launch, 'gemini')
    clinic.home.write(
      '.gemini/trusted_hooks.json',
      JSON.stringify({ [clinic.surroundings.directory]: [`agentd:${command}`] }),
    )
    const later = await clinic.examine(['gemini'])

    expect(fresh.state).toBe('ok')
    expect(later.some(({ name }) => name === 'hooks-trust')).toBe(false)
  })

  test('OpenCode may have the server switched off', async () => {
    await using clinic = await createWellClinic()
    change(clinic, '.config/opencode/opencode.json', (text) =>
      text.replace('"enabled": true', '"enabled": false'),
    )

    expect(complaints(await clinic.examine(['opencode']), 'opencode')).toContain('fail mcp-enabled')
  })

  test('VS Code does not look where COPILOT_HOME leads', async () => {
    await using clinic = await createWellClinic({ env: { COPILOT_HOME: '/elsewhere' } })

    expect(complaints(await clinic.examine(['vscode']), 'vscode')).toContain('warn hooks-place')
  })

  test('that VS Code and Cursor run the hooks of Claude Code too is said, and no fault', async () => {
    await using clinic = await createWellClinic()
    clinic.home.write('.config/Code/User/settings.json', '{ // mine\n"chat.useClaudeHooks": true, }')

    const findings = await clinic.examine(['vscode', 'cursor'])

    const double = findings.filter(({ name }) => name === 'hooks-double')
    expect(double.map(({ area, state }) => `${area} ${state}`)).toEqual(['cursor ok', 'vscode ok'])
  })
})

describe('the version of a program', () => {
  test('one that hangs is given up, with whatever it has started', async () => {
    await using clinic = await createClinic()
    const note = clinic.home.dir.file('pid')
    clinic.program('slow', `/bin/sleep 600 &\necho $! > ${note}\necho 1.2.3\nexec /bin/sleep 600`)
    clinic.program('mute', 'exec /bin/sleep 600')
    clinic.program('parent', '/bin/sleep 600 &\necho 4.5.6')

    const said = await Promise.all(
      ['slow', 'mute', 'parent'].map((name) =>
        programVersion(clinic.surroundings.environment, clinic.home.dir.file('bin', name), 300),
      ),
    )

    expect(said).toEqual(['1.2.3', undefined, '4.5.6'])
    await vi.waitFor(() => expect(processStartTime(Number(readFileSync(note, 'utf8')))).toBeUndefined())
  })

  test.each([
    ["echo 'codex-cli 0.169.0'", '0.169.0'],
    ["printf '\\033[31mnightly\\n'", '[31mnightly'],
    ['exit 1', undefined],
    ['while :; do echo 1.0.0-rc.1; done', '1.0.0-rc.1'],
  ])('%s says %s', async (body, version) => {
    await using clinic = await createClinic()
    clinic.program('some', body)

    expect(await programVersion(clinic.surroundings.environment, clinic.home.dir.file('bin', 'some'))).toBe(
      version,
    )
  })

  test('a program that cannot be started says nothing', async () => {
    await using clinic = await createClinic()
    const path = clinic.home.dir.file('bin', 'broken')
    writeFileSync(path, '#!/nowhere/sh\n')
    chmodSync(path, 0o755)

    expect(await programVersion(clinic.surroundings.environment, path)).toBeUndefined()
  })
})
