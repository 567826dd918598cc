import { parse } from '@decimalturn/toml-patch'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { mergeText, stripText } from '../../../../src/runtimes/setup/file-text.ts'
import { LAUNCH, codexToml } from '../desired-files.ts'

const CONFIGS: Readonly<Record<string, string>> = {
  nothing: '',
  'comments and blanks': '# mine\n\nmodel = "gpt-5" # fast\n\n# end\n',
  'other servers and a table behind them':
    '[mcp_servers]\n[mcp_servers.files]\ncommand = "x" # why\n\n# about tools\n[tools]\nweb = true\n',
  'trust in hooks': '[hooks.state."/home/u/.codex/hooks.json:stop:0:0"]\ntrusted_hash = "sha256:00"\n',
  'CRLF line ends': 'a = 1\r\n[b]\r\nc = 2 # k\r\n',
  'dotted keys': 'mcp_servers.files.command = "x"\n',
  'an inline table': 'mcp_servers = { files = { command = "x" } } # one line\n',
  'text that looks like a table': 'note = """\n[mcp_servers.agentd]\ncommand = "no"\n"""\n',
  'lists of tables and dates': 'at = 2026-01-02T03:04:05Z\n[[p]]\nn = 1\n[[p]]\nn = 2\n',
  'no line end at the end': 'a = 1',
}

const cases = Object.entries(CONFIGS)

test.each(cases)('%s: the server is added and nothing else is touched', (_, text) => {
  const { text: merged } = mergeText(text, codexToml())

  expect(parse(merged).mcp_servers.agentd).toEqual({ command: LAUNCH.node, args: [LAUNCH.script, 'mcp'] })
  for (const line of text
    .split(/\r?\n/)
    .filter((one) => !one.includes('inline') && !one.startsWith('mcp_servers = '))) {
    expect(merged).toContain(line)
  }
  expect(mergeText(merged, codexToml()).text).toBe(merged)
})

test.each(cases)('%s: taking it out again gives the same bytes', (_, text) => {
  const { text: merged, inserted } = mergeText(text, codexToml())

  expect(stripText(merged, { format: 'toml', hookName: '', made: [], inserted }, 'config.toml')).toBe(text)
})

test.each(cases)('%s: what Codex or a person has added behind it is kept', (_, text) => {
  const { text: merged, inserted } = mergeText(text, codexToml())
  const more = '\n# mine\n[later]\nx = 1\n'

  const stripped = stripText(
    merged + more,
    { format: 'toml', hookName: '', made: [], inserted },
    'config.toml',
  )

  expect(stripped).not.toContain('agentd.cjs')
  expect(stripped.endsWith(more)).toBe(true)
})

test('when Node has moved, only the way to it changes; what a person has set stays', () => {
  const { text: merged } = mergeText('# top\nmodel = "x"\n', codexToml())
  const tuned = `${merged}startup_timeout_sec = 20 # slow disk\n`

  const after = mergeText(tuned, codexToml({ ...LAUNCH, node: '/new/node' })).text

  expect(after).toBe(tuned.replace(LAUNCH.node, '/new/node'))
})

test('an edited table of ours goes as a whole, with its sub-tables', () => {
  const { text: merged, inserted } = mergeText('model = "x"\n', codexToml())
  const edited = `${merged}tool_timeout_sec = 9\n[mcp_servers.agentd.tools.inbox]\nmode = "auto"\n\n[tools]\nweb = true\n`

  const stripped = stripText(edited, { format: 'toml', hookName: '', made: [], inserted }, 'config.toml')

  expect(parse(stripped)).toEqual({ model: 'x', tools: { web: true } })
  expect(stripped.startsWith('model = "x"\n')).toBe(true)
})

test('a file that is no TOML is left alone, and the sentence says where', () => {
  expect(() => mergeText('a = 1\nb = \n', codexToml())).toThrow(
    /config\.toml is left alone: line 2, column \d+: /,
  )
})

test('a server of the name that is not ours is left alone', () => {
  const text = '[mcp_servers.agentd]\ncommand = "agentd"\nargs = ["mcp"]\n'

  expect(() => mergeText(text, codexToml())).toThrow('that is not ours')
  expect(stripText(text, { format: 'toml', hookName: '', made: [], inserted: null }, 'x')).toBe(text)
})

test('any path can be written: quotes, backslashes, other scripts', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }), (name) => {
      const launch = { node: `/opt/${name.replaceAll('\0', '')}/node`, script: LAUNCH.script }
      const { text, inserted } = mergeText('a = 1\n', codexToml(launch))

      expect(parse(text).mcp_servers.agentd.command).toBe(launch.node)
      expect(stripText(text, { format: 'toml', hookName: '', made: [], inserted }, 'x')).toBe('a = 1\n')
    }),
  )
})
