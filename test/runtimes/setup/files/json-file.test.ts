import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { HostRefusal } from '../../../../src/host/files/refusal.ts'
import { nestedText } from '../../../support/nested.ts'
import { mergeText, stripText } from '../../../../src/runtimes/setup/file-text.ts'
import { hookLine } from '../../../../src/runtimes/setup/files/launch.ts'
import { LAUNCH, claudeFile, cursorFile, vscodeFile } from '../desired-files.ts'

/** Files as people keep them. */
const SETTINGS: Readonly<Record<string, string>> = {
  'an empty object': '{}',
  'an empty object with blanks in it': '{ \n }\n',
  'only a comment in it': '{\n  // nothing yet\n}\n',
  'two spaces': '{\n  "model": "opus",\n  "permissions": { "allow": ["Bash(ls)"] }\n}\n',
  'four spaces and no line end at the end': '{\n    "model": "opus"\n}',
  tabs: '{\n\t"model": "opus",\n\t"env": {\n\t\t"A": "1"\n\t}\n}\n',
  'CRLF line ends': '{\r\n  "model": "opus",\r\n  "hooks": {\r\n    "Stop": []\r\n  }\r\n}\r\n',
  'a byte order mark': '\uFEFF{\n  "model": "opus"\n}\n',
  'one line': '{"model":"opus","hooks":{"Stop":[{"hooks":[{"type":"command","command":"x"}]}]}}',
  'trailing commas':
    '{\n  "model": "opus",\n  "hooks": {\n    "Stop": [\n      { "hooks": [], },\n    ],\n  },\n}\n',
  'comments everywhere':
    '// top\n{\n  /* a */ "model": "opus", // why\n  "hooks": { // mine\n    "Stop": [\n      // first\n      { "hooks": [{ "type": "command", "command": "say" }] } // last\n      // end\n    ] // stop\n  } /* hooks */\n  // bottom\n}\n// after\n',
  'foreign hooks':
    '{\n  "hooks": {\n    "PostToolUse": [\n      {\n        "matcher": "Edit",\n        "hooks": [\n          { "type": "command", "command": "prettier --write" }\n        ]\n      }\n    ],\n    "Stop": []\n  },\n  "model": "opus"\n}\n',
  'empty lists with blanks': '{\n  "hooks": {\n    "Stop": [   ],\n    "SessionStart": [\n    ]\n  }\n}\n',
}

const cases = Object.entries(SETTINGS)

test('a file nested beyond any stack is left alone, and said to be so', () => {
  expect(() => mergeText(nestedText(), claudeFile())).toThrow(HostRefusal)
  expect(() => mergeText(nestedText(), claudeFile())).toThrow(/nested too deeply/)
})

test.each(cases)('%s: what is added is all there, and everything else stays byte for byte', (_, text) => {
  const { text: merged } = mergeText(text, claudeFile())

  expect(isSubsequence(text, merged)).toBe(true)
  expect(Object.keys(readLoosely(merged))).toEqual(expect.arrayContaining(Object.keys(readLoosely(text))))
  expect(merged.match(/ hook claude-code/g)).toHaveLength(12)
})

test.each(cases)('%s: a second time there is nothing to add', (_, text) => {
  const { text: once } = mergeText(text, claudeFile())

  expect(mergeText(once, claudeFile()).text).toBe(once)
})

test.each(cases)('%s: taking it out again gives the same bytes', (_, text) => {
  const { text: merged, made } = mergeText(text, claudeFile())

  const own = { format: 'json', hookName: 'claude-code', made, inserted: null } as const
  expect(stripText(merged, own, 'settings.json')).toBe(text)
})

test.each(cases)('%s: what somebody has added meanwhile, before and behind ours, is kept', (_, text) => {
  const { text: merged, made } = mergeText(text, claudeFile())
  const foreign = { ...claudeFile(), hookName: 'other', entries: foreignHooks() } as const
  const both = mergeText(merged, foreign).text

  const own = { format: 'json', hookName: 'claude-code', made, inserted: null } as const
  const stripped = stripText(both, own, 'settings.json')

  expect(stripped).not.toContain('agentd.cjs')
  expect(readLoosely(stripped)).toEqual(readLoosely(mergeText(text, foreign).text))
})

test('a matcher that an earlier version wrote is brought up to date; any other is kept, and so is a shared one (OP-12)', () => {
  const command = hookLine(LAUNCH, 'claude-code')
  const groupOf = (matcher: string, ...more: readonly object[]): object => ({
    matcher,
    hooks: [{ type: 'command', command }, ...more],
  })
  const entry = {
    kind: 'hook',
    role: 'hook',
    event: 'PreToolUse',
    handler: { type: 'command', command },
    group: { matcher: 'Edit|Ask' },
    formerMatchers: ['Edit'],
  } as const
  const matcherAfter = (group: object): unknown => {
    const text = JSON.stringify({ hooks: { PreToolUse: [group] } })
    const merged = mergeText(text, { ...claudeFile(), entries: [entry] }).text
    return JSON.parse(merged).hooks.PreToolUse[0].matcher
  }

  expect(matcherAfter(groupOf('Edit'))).toBe('Edit|Ask')
  expect(matcherAfter(groupOf('Write'))).toBe('Write')
  expect(matcherAfter(groupOf('Edit', { type: 'command', command: 'fmt' }))).toBe('Edit')
})

test('a comment stays beside what it is about', () => {
  const text = '{\n  "servers": {\n    "files": {} // for the docs\n  }\n}\n'

  expect(mergeText(text, vscodeFile()).text).toContain('"files": {}, // for the docs\n    "agentd": {')
})

test('the layout of the file is followed: tabs, line ends, one line', () => {
  const tabs = mergeText('{\n\t"a": 1\n}\n', cursorFile()).text
  const crlf = mergeText('{\r\n  "a": 1\r\n}\r\n', cursorFile()).text
  const line = mergeText('{"a":1}', cursorFile()).text

  expect(tabs).toContain('\n\t"hooks": {\n\t\t"sessionStart": [\n\t\t\t{\n\t\t\t\t"command"')
  expect(crlf.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
  expect(line).not.toContain('\n')
})

test('ours come last, so that nobody else changes place', () => {
  const { text } = mergeText(SETTINGS['foreign hooks'] ?? '', claudeFile())
  const { hooks } = JSON.parse(text)

  expect(hooks.PostToolUse[0].matcher).toBe('Edit')
  expect(hooks.PostToolUse[1].hooks[0].command).toBe(hookLine(LAUNCH, 'claude-code'))
  expect(Object.keys(JSON.parse(text))).toEqual(['hooks', 'model'])
})

test('when Node has moved, only the way to it changes, where it stands', () => {
  const { text: before } = mergeText(SETTINGS['comments everywhere'] ?? '', claudeFile())
  const tuned = before.replaceAll('"timeout": 5', '"timeout": 7')

  const { text: after } = mergeText(tuned, claudeFile({ ...LAUNCH, node: '/opt/node 22/bin/node' }))

  expect(after).toBe(tuned.replaceAll(LAUNCH.node, "'/opt/node 22/bin/node'"))
})

test('a handler of ours that somebody has put into a group of theirs is brought up to date and taken out there', () => {
  const { text: merged, made } = mergeText('{"hooks":{"Stop":[]}}', claudeFile())
  const moved = JSON.parse(merged)
  const ours = moved.hooks.Stop[0].hooks[0]
  moved.hooks.Stop[0].hooks = [{ type: 'command', command: 'theirs' }, ours]
  const text = JSON.stringify(moved)

  const again = mergeText(text, claudeFile({ ...LAUNCH, node: '/new/node' })).text
  const own = { format: 'json', hookName: 'claude-code', made, inserted: null } as const
  const stripped = stripText(again, own, 'settings.json')

  expect(JSON.parse(again).hooks.Stop[0].hooks[1].command).toBe(
    hookLine({ ...LAUNCH, node: '/new/node' }, 'claude-code'),
  )
  expect(JSON.parse(stripped).hooks.Stop).toEqual([{ hooks: [{ type: 'command', command: 'theirs' }] }])
})

/** A program and its arguments, as the first version started agentd. */
const execForm = (role: 'hook' | 'wait'): object => ({
  command: LAUNCH.node,
  args: [LAUNCH.script, 'hook', 'claude-code', ...(role === 'wait' ? ['--wait'] : [])],
})

/** Claude Code's settings as it wrote them, with PreCompact. */
function earlierFile() {
  const file = claudeFile()
  const entries = file.entries.map((entry) =>
    entry.kind === 'hook' ? { ...entry, handler: { ...entry.handler, ...execForm(entry.role) } } : entry,
  )
  const [first] = entries
  if (first?.kind !== 'hook') throw new Error('there is no hook')
  return { ...file, entries: [...entries, { ...first, event: 'PreCompact' }] }
}

test.each(cases)(
  '%s: what an earlier version has written becomes what this one writes (OP-12, OP-30)',
  (_, text) => {
    // As it wrote them, which this version does by itself for nobody.
    const { text: earlier, made } = mergeText(text, earlierFile())

    const { text: upgraded } = mergeText(earlier, claudeFile(), made)

    expect(earlier).toContain('"PreCompact"')
    expect(readLoosely(upgraded)).toEqual(readLoosely(mergeText(text, claudeFile()).text))
    expect(upgraded).not.toMatch(/PreCompact|"args"/)
  },
)

test.each(cases)('%s: the entries of an earlier version are taken out to the byte (OP-12)', (_, text) => {
  const { text: earlier, made } = mergeText(text, earlierFile())
  const own = { format: 'json', hookName: 'claude-code', made, inserted: null } as const

  const { text: upgraded, made: later } = mergeText(earlier, claudeFile(), made)

  expect(stripText(earlier, own, 'settings.json')).toBe(text)
  expect(stripText(upgraded, { ...own, made: [...made, ...later] }, 'settings.json')).toBe(text)
})

test('a hook of ours for an event that is set up no more goes, and theirs beside it stays', () => {
  const theirs = { type: 'command', command: 'theirs' }
  const { text } = mergeText(JSON.stringify({ hooks: { PreCompact: [{ hooks: [theirs] }] } }), earlierFile())

  const { hooks } = JSON.parse(mergeText(text, claudeFile()).text)

  expect(hooks.PreCompact).toEqual([{ hooks: [theirs] }])
})

test('where only the server is asked for, hooks are left as they are', () => {
  const { text } = mergeText('{}', earlierFile())
  const entries = [{ kind: 'constant', key: 'version', value: 1 }] as const

  expect(mergeText(text, { ...claudeFile(), entries }).text).toContain('"PreCompact"')
})

test.each([
  ['{\n  "a": 1,\n  "b": }\n', 'line 3, column 8: value expected'],
  ['{\n  "a": 1\n  "b": 2\n}\n', 'line 3, column 3: comma expected'],
  ['[1]', 'line 1, column 1: an object is expected here'],
  ['{"hooks": []}', 'line 1, column 11: an object is expected here'],
  ['{"hooks": {"Stop": {}}}', 'line 1, column 20: a list is expected here'],
  ['{"hooks": {},\n "hooks": {}}', 'line 2, column 2: "hooks" stands here a second time'],
  ['{"a": "unclosed}\n', 'line 1, column 7: unexpected end of string'],
])('%j is left alone, and the sentence says where: %s', (text, sentence) => {
  expect(() => mergeText(text, claudeFile())).toThrow(`left alone: ${sentence}`)
})

test('a server of the name that somebody else has written is left alone', () => {
  const text = '{"servers":{"agentd":{"command":"agentd","args":["mcp"]}}}'

  expect(() => mergeText(text, vscodeFile())).toThrow('it is not ours')
  expect(stripText(text, { format: 'json', hookName: 'vscode', made: [], inserted: null }, 'mcp.json')).toBe(
    text,
  )
})

test('an empty file gets an object, and is empty again afterwards', () => {
  for (const text of ['', '\n', '// nothing\n']) {
    const { text: merged, made } = mergeText(text, cursorFile())

    expect(readLoosely(merged)).toMatchObject({ version: 1 })
    expect(
      stripText(merged, { format: 'json', hookName: 'cursor', made, inserted: null }, 'hooks.json'),
    ).toBe(text)
  }
})

test('keys such as __proto__ are keys like any other', () => {
  const text = '{"__proto__": {"hooks": 1}, "constructor": {}}'
  const { text: merged, made } = mergeText(text, claudeFile())

  expect(merged).toContain('"__proto__": {"hooks": 1}')
  expect(stripText(merged, { format: 'json', hookName: 'claude-code', made, inserted: null }, 'x')).toBe(text)
})

test('whatever the file holds, ours goes in and out again without a trace', () => {
  fc.assert(
    fc.property(document(), ({ text }) => {
      const { text: merged, made } = mergeText(text, claudeFile())

      expect(stripText(merged, { format: 'json', hookName: 'claude-code', made, inserted: null }, 'x')).toBe(
        text,
      )
      expect(mergeText(merged, claudeFile()).text).toBe(merged)
    }),
    { numRuns: 400 },
  )
})

/** JSON as somebody might lay it out, with hooks of their own perhaps. */
function document(): fc.Arbitrary<{ text: string }> {
  const hooks = fc.dictionary(
    fc.constantFrom('Stop', 'SessionStart', 'PostToolUse', 'Odd'),
    fc.array(
      fc.record({ hooks: fc.array(fc.record({ type: fc.constant('command'), command: fc.string() })) }),
    ),
  )
  const value = fc.record({ hooks, other: fc.jsonValue(), last: fc.constant(1) }, { requiredKeys: [] })
  return fc
    .record({
      value,
      step: fc.constantFrom('  ', '    ', '\t', 0),
      eol: fc.constantFrom('\n', '\r\n'),
      trailing: fc.boolean(),
      comments: fc.boolean(),
      mark: fc.boolean(),
    })
    .map(({ value: content, step, eol, trailing, comments, mark }) => {
      let text = JSON.stringify(content, null, step)
      if (step !== 0 && trailing) text = text.replaceAll(/(["\]}\dl])\n(\s*[\]}])/g, '$1,\n$2')
      if (step !== 0 && comments) text = text.replaceAll(/([,[{])\n/g, '$1 // note: "a"\n')
      return { text: `${mark ? '\uFEFF' : ''}${text.replaceAll('\n', eol)}` }
    })
}

function foreignHooks() {
  return ['Stop', 'PostToolUse'].map((event) => ({
    kind: 'hook' as const,
    role: 'hook' as const,
    event,
    handler: { type: 'command', command: 'theirs' },
    group: {},
  }))
}

/** What a reader that takes comments and trailing commas makes of it. */
function readLoosely(text: string): object {
  const plain = text
    .replace(/^\uFEFF/, '')
    .replaceAll(/\/\*[\s\S]*?\*\/|\/\/[^\r\n]*/g, '')
    .replaceAll(/,(\s*[\]}])/g, '$1')
  return JSON.parse(plain)
}

/** Whether `part` is what is left of `whole` when some characters are taken out. */
function isSubsequence(part: string, whole: string): boolean {
  let at = 0
  for (const character of whole) if (character === part[at]) at += 1
  return at === part.length
}
