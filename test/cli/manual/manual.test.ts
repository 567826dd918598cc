/**
 * The manual pages: one for each command, in the package, and shown as they are meant.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { TOPICS } from '../../../src/cli/help/topics.ts'
import { manualPages } from '../../../src/cli/manual/pages.ts'
import { topicPages } from '../../../src/cli/manual/topic-pages.ts'
import { roffLine, roffText } from '../../../src/cli/manual/roff.ts'
import { createProgram } from '../../../src/cli/program.ts'
import { RUNTIMES } from '../../../src/runtimes/catalogue.ts'
import { hasProgram } from '../../support/needs.ts'

const ROOT = join(import.meta.dirname, '..', '..', '..')
const RUNTIME_IDS = RUNTIMES.map(({ id }) => id)

const PAGES = manualPages(createProgram(RUNTIME_IDS), '1.2.3')
const TOPIC_PAGES = topicPages('1.2.3')

/** As a terminal of 80 columns shows it, without bold and underline; stderr is what groff has to say against it. */
function render(text: string): { shown: string; warnings: string } {
  const { stdout, stderr } = spawnSync('groff', ['-man', '-Tutf8', '-ww', '-rLL=78n', '-P-c', '-P-bou'], {
    input: text,
    encoding: 'utf8',
  })
  return { shown: stdout, warnings: stderr }
}

test('there is a page for the program, each of its commands and each topic, and the package names those that were built', () => {
  const { man } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const files = [...PAGES, ...TOPIC_PAGES].map(({ file }) => file).toSorted()
  const program = createProgram(RUNTIME_IDS)
  const visible = program.createHelp().visibleCommands(program)
  const commands = visible.map((command) => `agentd-${command.name()}.1`)

  const topics = TOPICS.map(({ name }) => `agentd-${name}.7`)

  expect(files).toEqual(['agentd.1', ...commands, ...topics].toSorted())
  expect(readdirSync(join(ROOT, 'dist', 'man')).toSorted()).toEqual(files)
  expect(man).toEqual(files.map((file) => `./dist/man/${file}`))
})

test.runIf(hasProgram('groff'))(
  'every page says all that the help says, on lines that fit, and groff finds no fault',
  () => {
    const program = createProgram(RUNTIME_IDS)
    for (const { file, text } of PAGES) {
      const { shown, warnings } = render(text)
      const flat = shown.replaceAll(/\s+/g, ' ')
      const name = file.replace(/^agentd-?|\.1$/g, '')
      const command = program.commands.find((one) => one.name() === name) ?? program

      expect([file, warnings]).toEqual([file, ''])
      expect([file, shown.split('\n').filter((line) => line.length > 80)]).toEqual([file, []])
      const within = command === program ? [program] : [command, ...command.commands]
      for (const one of within) {
        for (const { flags, description } of one.options) {
          expect(flat, file).toContain(flags)
          expect(flat, file).toContain(description)
        }
        for (const argument of one.registeredArguments) expect(flat, file).toContain(argument.description)
        expect(flat, file).toContain(one.description())
      }
      for (const heading of ['NAME', 'SYNOPSIS', 'DESCRIPTION', 'SEE ALSO'])
        expect(shown).toContain(`\n${heading}\n`)
    }
  },
)

test.runIf(hasProgram('groff'))(
  'the page of a topic says what "agentd help" says, and groff finds no fault',
  () => {
    expect(TOPIC_PAGES.length).toBeGreaterThan(10)
    for (const [i, { file, text }] of TOPIC_PAGES.entries()) {
      const { shown, warnings } = render(text)
      const flat = shown.replaceAll(/\s+/g, ' ')
      const { says, blocks } = TOPICS[i] ?? { says: '', blocks: [] }

      expect([file, warnings]).toEqual([file, ''])
      expect([file, shown.split('\n').filter((line) => line.length > 80)]).toEqual([file, []])
      expect(flat).toContain(says)
      for (const block of blocks) {
        const words = 'text' in block ? [block.text] : 'rows' in block ? block.rows.flat() : block.example
        for (const said of words) expect([file, flat]).toEqual([file, expect.stringContaining(said)])
      }
    }
  },
)

test.runIf(hasProgram('groff'))('an example can be copied: its lines are one command to a shell', () => {
  const { shown } = render(PAGES.find(({ file }) => file === 'agentd-wrap.1')?.text ?? '')
  const [, example = ''] = /EXAMPLES\n([\s\S]*?)\nSEE ALSO/.exec(shown) ?? []

  const { stdout } = spawnSync('sh', ['-c', `agentd() { printf '<%s>' "$@"; }\n${example}`], {
    encoding: 'utf8',
  })

  expect(example.trim().split('\n').length).toBeGreaterThan(1)
  expect(stdout).toBe(
    '<wrap><--from><gateway.llm><--intent><llm.completion><--><curl><-s><-d><@-><https://llm.example/v1>',
  )
})

test.runIf(hasProgram('groff'))('text is shown as it is, whatever stands in it', () => {
  const words = [
    "it's",
    '"quoted"',
    '.SH',
    "'br",
    '\\fB',
    '-',
    '--no-start',
    '`x`',
    '~alice/*',
    '^',
    '…',
    '§',
    '\\',
    '日本',
    '%',
    '.',
  ]
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 8 }), (chosen) => {
      const text = chosen.join(' ')
      const { shown, warnings } = render(
        `.TH X 1\n.ad l\n.SH TEXT\n${roffText(text)}\n.PP\n.EX\n${roffLine(text)}\n.EE\n`,
      )
      const lines = shown.split('\n').map((line) => line.trim())
      expect(warnings).toBe('')
      expect(lines.filter((line) => line === text)).toHaveLength(2)
    }),
    { numRuns: 30 },
  )
})
