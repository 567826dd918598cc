import {
  chmodSync,
  existsSync,
  lstatSync,
  linkSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { parse } from '@decimalturn/toml-patch'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { RUNTIMES } from '../../../src/runtimes/catalogue.ts'
import { applyPlan } from '../../../src/runtimes/setup/apply.ts'
import { setupsInstalled, setupsNamed } from '../../../src/runtimes/setup/selection.ts'
import { hookLine } from '../../../src/runtimes/setup/files/launch.ts'
import { planInstall } from '../../../src/runtimes/setup/install.ts'
import { readManifests } from '../../../src/runtimes/setup/manifest.ts'
import { showChange } from '../../../src/runtimes/setup/step.ts'
import { isRoot } from '../../host/surroundings.ts'
import { ALL, createHome, snapshotOf, type Home, SETUPS } from './home.ts'
import { CALLING, desiredRequest, LAUNCH } from './desired-files.ts'
import { isSo } from '../../support/needs.ts'

/** Files people really have, one per runtime. */
const DOTFILES: Readonly<Record<string, string>> = {
  '.claude/settings.json':
    '{\n  "model": "opus",\n  "hooks": {\n    "PostToolUse": [\n      { "matcher": "Edit", "hooks": [{ "type": "command", "command": "fmt" }] }\n    ]\n  }\n}\n',
  '.codex/hooks.json': '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"bell"}]}]}}',
  '.codex/config.toml': '# mine\nmodel = "gpt-5"\n\n[mcp_servers.files]\ncommand = "x"\n',
  '.cursor/hooks.json':
    '{\r\n\t"version": 1,\r\n\t"hooks": {\r\n\t\t"stop": [{ "command": "./bell.sh" }]\r\n\t}\r\n}\r\n',
  '.cursor/mcp.json': '{\n  "mcpServers": {}\n}\n',
  '.gemini/settings.json': '\uFEFF{\n  // colours\n  "ui": { "theme": "dark" }, /* mine */\n}\n',
  '.copilot/mcp-config.json': '{}',
  '.config/Code/User/mcp.json':
    '{\n\t"inputs": [],\n\t"servers": {\n\t\t// docs\n\t\t"docs": { "url": "http://localhost" },\n\t},\n}\n',
  '.config/opencode/opencode.jsonc':
    '{\n  "$schema": "https://opencode.ai/config.json",\n  // keys\n  "keybinds": {}\n}\n',
}

/** Somebody who has all of it. */
async function createFullHome(options = {}): Promise<Home> {
  const home = await createHome(options)
  for (const [name, text] of Object.entries(DOTFILES)) home.write(name, text)
  return home
}

function faults(done: Awaited<ReturnType<Home['install']>>): readonly string[] {
  return done.flatMap(({ step, failure }) => failure ?? step.refusal ?? [])
}

describe('a home with files of its own', () => {
  test('every runtime is set up beside what is there, and undoing it gives every byte back', async () => {
    await using home = await createFullHome()
    const before = home.snapshot()

    const installed = await home.install(ALL)
    const between = home.snapshot()
    const undone = await home.undoAll()

    expect(faults([...installed, ...undone])).toEqual([])
    expect(between).not.toEqual(before)
    expect(home.snapshot()).toEqual(before)
    expect(readdirSync(home.dir.file('state', 'setup'))).toEqual([])
  })

  test('a second time there is nothing to do, and nothing is written', async () => {
    await using home = await createFullHome()
    await home.install(ALL)
    const between = { ...home.snapshot(), ...snapshotOf(home.dir.file('state')) }

    const again = await home.install(ALL)

    expect(again.flatMap(({ step }) => step.changes)).toEqual([])
    expect({ ...home.snapshot(), ...snapshotOf(home.dir.file('state')) }).toEqual(between)
  })

  test('what was there says the same as before, and ours come last', async () => {
    await using home = await createFullHome()
    await home.install(ALL)

    const claude = JSON.parse(home.read('.claude/settings.json'))
    const codex = JSON.parse(home.read('.codex/hooks.json'))
    expect(claude.model).toBe('opus')
    expect(claude.hooks.PostToolUse[0].hooks[0].command).toBe('fmt')
    expect(claude.hooks.SessionEnd[0].hooks[0].timeout).toBe(2)
    expect(claude.hooks.Stop[1].hooks[0]).toEqual({
      type: 'command',
      command: hookLine(LAUNCH, 'claude-code', 'wait'),
      asyncRewake: true,
      timeout: 86_400,
    })
    expect(codex.hooks.Stop).toEqual([
      { hooks: [{ type: 'command', command: 'bell' }] },
      { hooks: [{ type: 'command', command: hookLine(LAUNCH, 'codex'), timeout: 5 }] },
    ])
    expect(parse(home.read('.codex/config.toml'))).toMatchObject({
      model: 'gpt-5',
      mcp_servers: {
        files: { command: 'x' },
        agentd: { command: LAUNCH.node, args: [LAUNCH.script, 'mcp'] },
      },
    })
    expect(JSON.parse(home.read('.cursor/hooks.json')).hooks.stop).toEqual([
      { command: './bell.sh' },
      { command: hookLine(LAUNCH, 'cursor'), timeout: 5, loop_limit: 5 },
    ])
    expect(home.read('.gemini/settings.json')).toContain('"theme": "dark" }, /* mine */\n  "hooks": {')
  })

  test('Gemini CLI starts nothing before each request to its model', async () => {
    await using home = await createFullHome()
    await home.install(['gemini'])

    expect(home.read('.gemini/settings.json')).not.toContain('PreCompress')
  })

  test.each(['claude-code', 'codex', 'cursor', 'copilot', 'opencode'])(
    '%s starts nothing before a compaction, where there is nothing to say (OP-30)',
    async (name) => {
      await using home = await createHome()
      await home.install([name], { plugin: true })

      expect(Object.values(home.snapshot()).join().toLowerCase()).not.toMatch(/precompact|compacting/)
    },
  )

  test('an entry of an earlier version, under an event that is set up no more, is undone with the others', async () => {
    await using home = await createHome()
    await home.install(['gemini'])
    const settings = JSON.parse(home.read('.gemini/settings.json'))
    settings.hooks.PreCompress = settings.hooks.BeforeAgent
    settings.ui = { theme: 'dark' }
    home.write('.gemini/settings.json', JSON.stringify(settings, null, 2))

    await home.undo(['gemini'])

    expect(home.read('.gemini/settings.json')).not.toContain('agentd')
    expect(JSON.parse(home.read('.gemini/settings.json')).ui).toEqual({ theme: 'dark' })
  })

  test('Codex tells of shells before they run, since a patch in one has no event after it', async () => {
    await using home = await createFullHome()
    await home.install(['codex'])

    const { hooks } = JSON.parse(home.read('.codex/hooks.json'))
    expect(hooks.PreToolUse[0].matcher.split('|')).toEqual(['apply_patch', 'Edit', 'Write', 'Bash'])
  })

  test('when agentd has moved, its entries are brought up to date where they stand, and undone from there', async () => {
    await using home = await createFullHome()
    const before = home.snapshot()
    await home.install(ALL)
    const between = home.snapshot()

    const done = await home.moved({ ...LAUNCH, node: '/new/node' }).install(ALL)
    const after = home.snapshot()
    await home.undoAll()

    expect(faults(done)).toEqual([])
    for (const [name, text] of Object.entries(between)) {
      expect(after[name], name).toBe(text.replaceAll(LAUNCH.node, '/new/node'))
    }
    expect(home.snapshot()).toEqual(before)
  })

  test('hooks only, then servers only, is both', async () => {
    await using one = await createFullHome()
    await using other = await createFullHome()
    const before = one.snapshot()

    await one.install(ALL, { parts: ['hooks'] })
    const half = one.snapshot()
    await one.install(ALL, { parts: ['mcp'] })
    await other.install(ALL)

    expect(half['.codex/config.toml']).toBe(before['.codex/config.toml'])
    expect(one.snapshot()).toEqual(other.snapshot())
    await one.undoAll()
    expect(one.snapshot()).toEqual(before)
  })

  test('one runtime is undone and the others stay', async () => {
    await using home = await createFullHome()
    const before = home.snapshot()
    await home.install(ALL)
    const between = home.snapshot()

    await home.undo(['gemini', 'vscode'])

    const after = home.snapshot()
    for (const name of Object.keys(between)) {
      const isUndone = name.startsWith('.gemini/') || name.startsWith('.config/Code/')
      expect(after[name], name).toBe(isUndone ? before[name] : between[name])
    }
  })
})

describe('a home without any', () => {
  test('files and folders are made for their owner alone, and undoing removes them', async () => {
    await using home = await createHome()
    const done = await home.install(ALL, { plugin: true })

    expect(faults(done)).toEqual([])
    expect(lstatSync(home.path('.codex')).mode & 0o777).toBe(0o700)
    expect(lstatSync(home.path('.codex/hooks.json')).mode & 0o777).toBe(0o600)
    expect(lstatSync(home.dir.file('state', 'setup', 'codex.json')).mode & 0o777).toBe(0o600)
    await home.undoAll()
    expect(home.snapshot()).toEqual({})
  })

  test('what somebody has put beside it meanwhile keeps its folder', async () => {
    await using home = await createHome()
    await home.install(['codex'])
    home.write('.codex/auth.json', '{}')

    await home.undo(['codex'])

    expect(Object.keys(home.snapshot())).toEqual(['.codex', '.codex/auth.json'])
  })

  test('a file of ours that has got other entries meanwhile keeps them', async () => {
    await using home = await createHome()
    await home.install(['cursor'])
    const hooks = JSON.parse(home.read('.cursor/hooks.json'))
    hooks.hooks.stop.push({ command: 'bell' })
    home.write('.cursor/hooks.json', JSON.stringify(hooks, null, 2))

    await home.undo(['cursor'])

    expect(JSON.parse(home.read('.cursor/hooks.json'))).toEqual({
      version: 1,
      hooks: { stop: [{ command: 'bell' }] },
    })
    expect(existsSync(home.path('.cursor/mcp.json'))).toBe(false)
  })

  test('the variables that move a runtime are followed, and a relative one is not', async () => {
    await using root = await createHome()
    const at = (name: string): string => root.dir.file('home', name)
    await using home = await createHome({
      env: {
        CLAUDE_CONFIG_DIR: at('c'),
        CODEX_HOME: at('x'),
        COPILOT_HOME: 'relative',
        XDG_CONFIG_HOME: at('cfg'),
      },
    })

    await home.install(ALL)

    expect(existsSync(at('c/settings.json'))).toBe(true)
    expect(existsSync(at('x/hooks.json'))).toBe(true)
    expect(existsSync(at('cfg/Code/User/mcp.json'))).toBe(true)
    expect(existsSync(at('cfg/opencode/opencode.json'))).toBe(true)
    expect(existsSync(home.path('.copilot/hooks/agentd.json'))).toBe(true)
    await home.undoAll()
    expect(root.snapshot()).toEqual({})
  })

  test('in a project everything stays below it', async () => {
    await using home = await createHome({ scope: 'project' })
    await home.install(ALL)

    expect(home.snapshot()).toEqual({})
    expect(
      Object.keys(snapshotOf(home.dir.file('project'))).filter((name) => !name.startsWith('.git/')),
    ).toEqual(
      expect.arrayContaining([
        '.claude/settings.local.json',
        '.codex/hooks.json',
        '.cursor/mcp.json',
        '.gemini/settings.json',
        '.github/hooks/agentd.json',
        '.vscode/mcp.json',
        'opencode.json',
      ]),
    )
    await home.undo(ALL)
    expect(Object.keys(snapshotOf(home.dir.file('project')))).toEqual(['.git'])
  })

  test('only runtimes whose program or folder is there count as installed', async () => {
    await using home = await createHome()
    mkdirSync(home.path('.gemini'))
    mkdirSync(home.dir.file('bin'))
    writeFileSync(home.dir.file('bin', 'codex'), '', { mode: 0o755 })
    writeFileSync(home.dir.file('bin', 'opencode'), '', { mode: 0o644 })

    expect(setupsInstalled(SETUPS, home.request.paths).map(({ id }) => id)).toEqual(['codex', 'gemini'])
  })
})

describe('files that are not plain', () => {
  test('a linked dotfile stays a link, and what it leads to is changed and restored', async () => {
    await using home = await createHome()
    home.write('dotfiles/settings.json', DOTFILES['.claude/settings.json'] ?? '')
    chmodSync(home.path('dotfiles/settings.json'), 0o640)
    mkdirSync(home.path('.claude'))
    symlinkSync('../dotfiles/settings.json', home.path('.claude/settings.json'))
    const before = home.snapshot()

    await home.install(['claude-code'])

    expect(lstatSync(home.path('.claude/settings.json')).isSymbolicLink()).toBe(true)
    expect(lstatSync(home.path('dotfiles/settings.json')).mode & 0o777).toBe(0o640)
    expect(home.read('dotfiles/settings.json')).toContain('agentd.cjs')
    await home.undoAll()
    expect(home.snapshot()).toEqual(before)
  })

  test.each([
    ['.codex/hooks.json', 'home/victim.json'],
    ['.codex', 'home/victim'],
  ])('in a project, %s that leads out of it is refused, and told where to (HD-22)', async (link, place) => {
    await using home = await createHome({ scope: 'project' })
    const victim = home.dir.file(place)
    if (place.endsWith('.json')) {
      writeFileSync(victim, '{}')
      mkdirSync(home.dir.file('project', '.codex'))
    } else mkdirSync(victim)
    symlinkSync(victim, home.dir.file('project', link))
    const before = home.snapshot()

    const [done] = await home.install(['codex'])

    expect(done?.step.refusal ?? done?.failure).toContain(
      `it leads out of ${home.dir.file('project')}, to ${victim}`,
    )
    expect(home.snapshot()).toEqual(before)
  })

  test('in a project, a link that stays within it is followed (HD-22)', async () => {
    await using home = await createHome({ scope: 'project' })
    mkdirSync(home.dir.file('project', 'dotfiles'))
    symlinkSync('dotfiles', home.dir.file('project', '.codex'))

    await home.install(['codex'])

    expect(existsSync(home.dir.file('project', 'dotfiles', 'hooks.json'))).toBe(true)
  })

  test('a file below a linked folder that is not there yet is made behind the link, and removed there', async () => {
    await using home = await createHome()
    mkdirSync(home.path('dotfiles'))
    symlinkSync('dotfiles', home.path('.codex'))
    const before = home.snapshot()

    await home.install(['codex'])
    expect(existsSync(home.path('dotfiles/hooks.json'))).toBe(true)
    await home.undo(['codex'])

    expect(home.snapshot()).toEqual(before)
  })

  test.each<[string, (home: Home) => void, string]>([
    ['read-only', (home) => chmodSync(home.path('.codex/hooks.json'), 0o444), 'it is read-only'],
    ['no JSON', (home) => home.write('.codex/hooks.json', '{\n  "hooks": oops\n}\n'), 'line 2, column 12'],
    [
      'not UTF-8',
      (home) => writeFileSync(home.path('.codex/hooks.json'), Buffer.from([0x7b, 0xff, 0x7d])),
      'not valid UTF-8',
    ],
    ['linked twice', (home) => linkSync(home.path('.codex/hooks.json'), home.path('other')), '2 hard links'],
    [
      'a link that leads nowhere',
      (home) => {
        renameSync(home.path('.codex/hooks.json'), home.path('gone'))
        symlinkSync('nowhere', home.path('.codex/hooks.json'))
      },
      'leads nowhere',
    ],
    [
      'no TOML',
      (home) => home.write('.codex/config.toml', 'model = \n'),
      'config.toml is left alone: line 1',
    ],
  ])(
    'a file that is %s is left alone with a reason, and so is all of its runtime',
    async (_, spoil, reason) => {
      await using home = await createFullHome()
      spoil(home)
      const before = home.snapshot()

      const done = await home.install(['codex', 'gemini'])

      const after = home.snapshot()
      expect(faults(done)).toEqual([expect.stringContaining(reason)])
      for (const name of Object.keys(before).filter((one) => !one.startsWith('.gemini'))) {
        expect(after[name], name).toBe(before[name])
      }
      expect(after['.gemini/settings.json']).toContain('agentd.cjs')
      await home.undoAll()
      expect(home.snapshot()).toEqual(before)
    },
  )

  test.runIf(isSo(!isRoot, 'root may write everywhere'))(
    'a folder that cannot be written is said to be so, and undoing still works',
    async () => {
      await using home = await createFullHome()
      chmodSync(home.path('.codex'), 0o500)

      const done = await home.install(['codex'])
      chmodSync(home.path('.codex'), 0o755)

      expect(faults(done)).toEqual([expect.stringContaining('EACCES')])
      expect(faults(await home.undoAll())).toEqual([])
      expect(home.read('.codex/hooks.json')).toBe(DOTFILES['.codex/hooks.json'])
    },
  )

  test('a large file is changed in its right place only', async () => {
    await using home = await createHome()
    const projects = Object.fromEntries(
      Array.from({ length: 20_000 }, (_, i) => [`/p/${i}`, { seen: i, tags: ['a', 'b'] }]),
    )
    home.write('.gemini/settings.json', JSON.stringify({ projects, ui: {} }, null, 2))
    const before = home.snapshot()

    const [step] = planInstall(setupsNamed(SETUPS, ['gemini']), home.request)
    await home.install(['gemini'])
    const diff = step?.changes.map(showChange).join('') ?? ''

    expect(diff.split('\n').filter((line) => line.startsWith('-'))).toHaveLength(2)
    await home.undoAll()
    expect(home.snapshot()).toEqual(before)
  })

  test('one that is too large is left alone', async () => {
    await using home = await createHome()
    home.write('.gemini/settings.json', JSON.stringify({ a: 'x'.repeat(8_388_608) }))

    expect(faults(await home.install(['gemini']))).toEqual([
      expect.stringContaining('larger than 8388608 bytes'),
    ])
  })
})

describe('somebody else at the same time', () => {
  test('two set-ups at once leave what one would', async () => {
    await using home = await createFullHome()
    await using single = await createFullHome()
    const before = home.snapshot()

    const outcomes = await Promise.all([home.install(ALL), home.install(ALL), home.install(['codex'])])
    await single.install(ALL)

    expect(outcomes.flatMap(faults)).toEqual([])
    expect(home.snapshot()).toEqual(single.snapshot())
    await home.undoAll()
    expect(home.snapshot()).toEqual(before)
  })

  test('what was shown and has changed since is not written', async () => {
    await using home = await createFullHome()
    const plan = () => planInstall(setupsNamed(SETUPS, ['gemini']), home.request)
    const shown = plan()
    home.write('.gemini/settings.json', '{ "other": 1 }')

    await expect(applyPlan(plan, shown, home.request.paths.environment)).rejects.toThrow(
      `${home.path('.gemini/settings.json')} has changed since it was looked at, and nothing was done`,
    )
    expect(home.read('.gemini/settings.json')).toBe('{ "other": 1 }')
  })

  test('a file that changes between looking and writing keeps the change', async () => {
    await using home = await createFullHome()
    const steps = planInstall(setupsNamed(SETUPS, ['gemini']), home.request)
    home.write('.gemini/settings.json', '{ "other": 1 }')

    const done = await applyPlan(() => steps, undefined, home.request.paths.environment)

    expect(faults(done)).toEqual([expect.stringContaining('it was changed just now')])
    expect(home.read('.gemini/settings.json')).toBe('{ "other": 1 }')
  })
})

describe('undoing', () => {
  test('a file that must not be changed, and holds nothing of ours, is no fault', async () => {
    await using home = await createFullHome()
    await home.install(['codex'])
    chmodSync(home.path('.gemini/settings.json'), 0o444)

    expect(faults(await home.undoAll())).toEqual([])
  })

  test('without a record, entries of ours are found and taken out all the same', async () => {
    await using home = await createFullHome()
    await home.install(['claude-code', 'codex'])
    renameSync(home.dir.file('state'), home.dir.file('lost'))

    await home.undoAll()

    expect(JSON.stringify(home.snapshot())).not.toContain('agentd.cjs')
    expect(JSON.parse(home.read('.claude/settings.json')).hooks.PostToolUse).toHaveLength(1)
  })

  test('a record that is damaged is not guessed at', async () => {
    await using home = await createFullHome()
    await home.install(['codex'])
    const between = home.snapshot()
    writeFileSync(home.dir.file('state', 'setup', 'codex.json'), '{')

    await expect(home.undoAll()).rejects.toThrow('is damaged')
    expect(home.snapshot()).toEqual(between)
  })

  test('a plugin file that somebody has changed is left to them, and said to be', async () => {
    await using home = await createHome()
    await home.install(['opencode'], { plugin: true })
    const plugin = home.path('.config/opencode/plugins/agentd.js')
    writeFileSync(plugin, `${readFileSync(plugin, 'utf8')}// mine\n`)

    const done = await home.undo(['opencode'])

    expect(done.flatMap(({ step }) => step.notes)).toEqual([expect.stringContaining('remove it yourself')])
    expect(existsSync(plugin)).toBe(true)
  })

  test('whatever happens in between, undoing leaves exactly what others have written', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(action(), { maxLength: 8 }), async (actions) => {
        await using home = await createHome()
        const model = new Model()
        model.writeTo(home)
        for (const [kind, value] of actions) {
          if (kind === 'install')
            await home.moved({ ...LAUNCH, node: `/node/${value}` }).install(['gemini', 'codex'])
          else if (kind === 'undo') await home.undo(['gemini', 'codex'])
          else model.edit(home, kind, value)
        }
        await home.undo(['gemini', 'codex'])

        expect(home.read('.gemini/settings.json')).toBe(model.json)
        expect(home.read('.codex/config.toml')).toBe(model.toml)
        expect(existsSync(home.path('.codex/hooks.json'))).toBe(false)
        expect(readManifests(home.request.paths.environment)).toEqual([])
      }),
      { numRuns: 60 },
    )
  })
})

type Action = readonly ['install' | 'undo' | 'json' | 'hook' | 'comment' | 'toml', number]

function action(): fc.Arbitrary<Action> {
  const kind = fc.constantFrom('install', 'install', 'undo', 'json', 'hook', 'comment', 'toml')
  return fc.tuple(kind, fc.nat(9))
}

/** The files as they would be without us; every edit is made to both. */
class Model {
  json =
    '{\n  // top\n  "value": 0, // v\n  "hooks": {\n    "AfterAgent": [\n      /* theirs */\n      { "hooks": [] }\n    ]\n  },\n  "end": true // e\n}\n'
  toml = '# top\nvalue = 0\n\n[theirs]\na = 1\n'

  writeTo(home: Home): void {
    home.write('.gemini/settings.json', this.json)
    home.write('.codex/config.toml', this.toml)
  }

  edit(home: Home, kind: Action[0], value: number): void {
    const change = (text: string): string => {
      if (kind === 'json' || kind === 'toml') return text.replace(/(value"?(?::| =)) \d+/, `$1 ${value}`)
      if (kind === 'hook')
        return text.replace('/* theirs */', `/* theirs */\n      { "matcher": "${value}", "hooks": [] },`)
      return text.replace('// top', `// top ${value}`).replace('# top', `# top ${value}`)
    }
    this.json = kind === 'toml' ? this.json : change(this.json)
    this.toml = kind === 'json' ? this.toml : change(this.toml)
    home.write(
      '.gemini/settings.json',
      kind === 'toml' ? home.read('.gemini/settings.json') : change(home.read('.gemini/settings.json')),
    )
    home.write(
      '.codex/config.toml',
      kind === 'json' ? home.read('.codex/config.toml') : change(home.read('.codex/config.toml')),
    )
  }
}

test('only what a session starts with is told by Node, and that is every event its record calls so (OP-02)', async () => {
  const byNode = await Promise.all(
    RUNTIMES.map(async ({ id, eventNames, load }) => {
      const { about } = await load()
      const files = about.files.files({ ...desiredRequest(CALLING), plugin: false })
      const hooks = files.flatMap((file) => (file.format === 'json' ? file.entries : []))
      return hooks.flatMap((entry) => {
        if (entry.kind !== 'hook' || entry.role === 'wait') return []
        const isByNode = String(entry.handler['command'] ?? entry.handler['bash']).includes('agentd.cjs')
        return [[id, entry.event, isByNode, eventNames[entry.event] === 'session-start'] as const]
      })
    }),
  )

  const told = byNode.flat()
  expect(told.length).toBeGreaterThan(30)
  expect(told.filter(([, , isByNode, isStart]) => isByNode !== isStart)).toEqual([])
})
