/**
 * The documentation, the help and the code say the same, in both directions.
 */
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Command } from 'commander'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { createProgram } from '../src/cli/program.ts'
import { GROUPS, placeOfHeading } from '../src/cli/help/groups.ts'
import { RUNTIMES } from '../src/runtimes/catalogue.ts'
import { capabilityTable } from '../src/runtimes/capabilities.ts'
import { ROUTES } from '../src/protocol/routes/routes.ts'
import { ERROR_CODES } from '../src/protocol/refusal/error-codes.ts'
import { Common } from '../src/protocol/verb/row.ts'
import { READING_VERBS, VERBS } from '../src/protocol/verb/verbs.ts'
import { KIND_NAMES } from '../src/protocol/frame/kinds.ts'
import { PAGES, anchorsOf, localLinksOf, markedTable, pageAt } from './support/pages.ts'
import {
  citingFiles,
  exists,
  idsIn,
  isThere,
  listedIds,
  pagesIn,
  placesIn,
  seesIn,
  strayIn,
} from './support/references.ts'
import {
  commandTable,
  configTable,
  errorTable,
  exitCodeTable,
  kindTable,
  outputTable,
  ownErrorTable,
  routeTable,
  variableTable,
  type CommandRow,
} from './support/tables.ts'

const root = new URL('..', import.meta.url)
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8')

/** The commands of a tree, in the order of its help: a name with its arguments, its heading and its line. */
function commandsOf(program: Command): readonly CommandRow[] {
  const help = program.createHelp()
  return help.visibleCommands(program).map((command) => ({
    heading: command.helpGroup(),
    name: help.subcommandTerm(command),
    says: command.description(),
  }))
}

test("the error table is the code's", () => {
  expect(markedTable('errors')).toBe(errorTable())
})

test("the route table is the code's", () => {
  expect(markedTable('routes')).toBe(routeTable())
})

test("the configuration table is the code's", () => {
  expect(markedTable('config')).toBe(configTable())
})

test("the command table is the command line's", () => {
  const program = createProgram(RUNTIMES.map(({ id }) => id))
  expect(markedTable('commands')).toBe(commandTable(commandsOf(program)))
})

test('the tables of exit codes, of variables and of kinds are those of "agentd help"', () => {
  expect(markedTable('exit-codes')).toBe(exitCodeTable())
  expect(markedTable('variables')).toBe(variableTable())
  expect(markedTable('cli-errors')).toBe(ownErrorTable())
  expect(markedTable('outputs')).toBe(outputTable())
  expect(markedTable('kinds')).toBe(kindTable())
})

test('the matrix of runtimes is what their records say', async () => {
  expect(markedTable('runtimes')).toBe(await capabilityTable())
})

test('the table of kinds names each of the fifteen', () => {
  const named = [...markedTable('kinds').matchAll(/`([a-z_]+)`/g)].map(([, kind]) => String(kind))

  expect(named.toSorted()).toEqual([...KIND_NAMES].toSorted())
})

test('the README is a front page: it fits on three screens', () => {
  expect(pageAt('README.md').text.trimEnd().split('\n').length).toBeLessThanOrEqual(150)
})

test('every command has a line of help and an example', () => {
  const program = createProgram(RUNTIMES.map(({ id }) => id))
  const commands = program.createHelp().visibleCommands(program)
  const all = commands.flatMap((command) => [command, ...withinOf(command)])

  expect(all.length).toBeGreaterThan(80)
  for (const command of all) {
    let text = ''
    command.configureOutput({ writeOut: (chunk) => (text += chunk) }).outputHelp()
    expect(command.description(), nameOf(command)).not.toBe('')
    expect(text, nameOf(command)).toContain('\nExample: ')
  }
})

test('every command stands under one of the headings of help, on a line of 80 columns', () => {
  const program = createProgram(RUNTIMES.map(({ id }) => id))
  const help = program.createHelp()
  const commands = help.visibleCommands(program)
  const width = Math.max(...commands.map((command) => help.subcommandTerm(command).length))

  const strays = commands.filter(
    (command) => placeOfHeading(command.helpGroup()) >= Object.keys(GROUPS).length,
  )
  const broken = commands.filter(
    (command) => '  '.length + width + '  '.length + help.subcommandDescription(command).length > 80,
  )

  expect(strays.map(nameOf)).toEqual([])
  expect(broken.map((command) => `${nameOf(command)}: give it a shorter summary`)).toEqual([])
  expect(new Set(commands.map((command) => command.helpGroup())).size).toBe(Object.keys(GROUPS).length)
})

/** The commands within a command, at every depth. */
const withinOf = (command: Command): Command[] =>
  command.commands.flatMap((child) => [child, ...withinOf(child)])

const nameOf = (command: Command): string =>
  command.parent === null ? command.name() : `${nameOf(command.parent)} ${command.name()}`

/** The rows of a page's tables whose first cell holds this word. */
const rowsOf = (text: string, word: string): string[] =>
  text.split('\n').filter((line) => line.startsWith('|') && line.split('|')[1]?.includes(word) === true)

test('docs/http.md lists every error code under its status', () => {
  const text = read('docs/http.md')
  for (const [code, { status }] of Object.entries(ERROR_CODES))
    expect(rowsOf(text, String(status)).join(), code).toContain(`\`${code}\``)
})

test('docs/http.md has every verb with each of its arguments', () => {
  const text = read('docs/http.md')
  const verbs = Object.entries(VERBS).map(([name, { args }]) => [name, args] as const)
  expect(verbs.length).toBeGreaterThan(10)
  for (const [name, args] of verbs) {
    const [row = ''] = rowsOf(text, `\`${name}\``)
    const { properties } = z
      .object({ properties: z.record(z.string(), z.unknown()) })
      .parse(z.toJSONSchema(args, { unrepresentable: 'any' }))
    for (const own of Object.keys(properties).filter((argument) => !Object.hasOwn(Common, argument)))
      expect(row, name).toContain(`\`${own}\``)
  }
  for (const name of Object.keys(READING_VERBS)) expect(rowsOf(text, `\`${name}\``), name).toHaveLength(1)
})

test('docs/http.md names every route', () => {
  const text = read('docs/http.md').replaceAll(/\s+/g, ' ')
  for (const { method, path } of Object.values(ROUTES)) expect(text).toContain(`${method} ${path}`)
})

test('every link of a page into this folder leads to a file, and to a heading where it names one', () => {
  const broken: string[] = []
  let followed = 0
  for (const page of PAGES) {
    for (const link of localLinksOf(page)) {
      followed += 1
      const [path = '', anchor] = link.split('#')
      const target = path === '' ? page.path : join(dirname(page.path), path)
      const found = PAGES.find((one) => one.path === target)
      const hasAnchor = anchor === undefined || (found !== undefined && anchorsOf(found).has(anchor))
      if (!existsSync(new URL(target, root)) || !hasAnchor) broken.push(`${page.path}: ${link}`)
    }
  }

  expect(broken).toEqual([])
  expect(followed).toBeGreaterThan(30)
})

test('every file of src and test that a text names is there', () => {
  // What requirements.md names are files of others as well; `src/auth.ts` is everybody's example.
  const named = PAGES.filter(({ path }) => path !== 'docs/requirements.md').flatMap(({ path, text }) =>
    [...text.matchAll(/`((?:src|test)\/(?!auth\.ts)[\w./-]+)`/g)].map(([, file]) => ({
      path,
      file: String(file),
    })),
  )

  expect(named.length).toBeGreaterThan(50)
  for (const { path, file } of named) expect(existsSync(new URL(file, root)), `${path}: ${file}`).toBe(true)
})

test('every promise says how it is kept, and by what it is shown', () => {
  const rows = [...read('docs/reliability.md').matchAll(/^\| (R-\d\d) \| (.+) \| (.+) \| (.+) \|$/gm)]
  const programs = readdirSync(new URL('test/torture/programs', root)).map((name) => name.replace('.mjs', ''))

  const ids = rows.map(([, id]) => id)
  expect(ids.slice(0, 40)).toEqual(
    Array.from({ length: 40 }, (_, i) => `R-${String(i + 1).padStart(2, '0')}`),
  )
  // Of the later ones not every number is taken; each has its figure.
  const measured = [...read('SECURITY.md').matchAll(/^\| (R-\d\d) \|/gm)].map(([, id]) => id)
  expect(measured).toEqual(expect.arrayContaining(ids.slice(40)))
  expect(ids).toEqual([...new Set(ids.map(String))].toSorted())
  for (const [, id, , , shown] of rows) {
    const witnesses = [...String(shown).matchAll(/`([^`]+)`/g)].map(([, name]) => String(name))
    expect(witnesses.length, id).toBeGreaterThan(0)
    for (const name of witnesses.filter((witness) => !witness.startsWith('test/')))
      expect(programs, id).toContain(name)
  }
})

test('the index of docs leads to every page of it', () => {
  const linked = localLinksOf(pageAt('docs/README.md')).map((link) => `docs/${link}`)
  const pages = PAGES.map(({ path }) => path).filter((path) => /^docs\/(?!README)[^/]+\.md$/.test(path))

  expect(pages.length).toBeGreaterThan(5)
  expect(pages.filter((path) => !linked.includes(path))).toEqual([])
})

test('the index of decisions has each of them once', () => {
  const there = readdirSync(new URL('docs/decisions', root)).filter((name) => name !== 'README.md')

  expect(localLinksOf(pageAt('docs/decisions/README.md'))).toEqual(there.toSorted())
})

test('every script that the pages name exists', () => {
  const { scripts } = z
    .object({ scripts: z.record(z.string(), z.string()) })
    .parse(JSON.parse(read('package.json')))
  const named = PAGES.flatMap(({ text }) =>
    [...text.matchAll(/npm run (?:--silent )?([a-z0-9:]+)/g)].map(([, name]) => String(name)),
  )

  expect(named.length).toBeGreaterThan(0)
  for (const name of named) expect(scripts, name).toHaveProperty([name])
})

test('the units that the pages speak of are there', () => {
  const units = [...readdirSync(new URL('systemd', root)), ...readdirSync(new URL('launchd', root))]

  expect(units.toSorted()).toEqual([
    'agentd-hub.service',
    'agentd.service',
    'agentd.socket',
    'dev.agentd.agentd.plist',
    'dev.agentd.hub.plist',
  ])
})

/** What a comment may point at outside the repository: a published text, or a manual page. */
const PUBLISHED = /\bRFC \d|https:\/\/|\(\d\)|WHATWG|W3C|FIPS|VOLT|WARD|", \d{4}|memo §|draft-cowles-aee-00/

test('every page, section, rule and finding that a comment names is there, and every “see” leads somewhere', () => {
  const citing = citingFiles()
  const sees = citing.flatMap(({ path, text }) => seesIn(text).map((see) => ({ path, see })))
  const places = citing.flatMap(({ path, text }) => placesIn(text).map((place) => ({ path, place })))
  const pages = citing.flatMap(({ text }) => pagesIn(text))

  expect(sees.length).toBeGreaterThan(200)
  expect(places.length).toBeGreaterThan(400)
  expect(pages.length).toBeGreaterThan(300)
  expect([...new Set(pages)].filter((page) => !exists(page))).toEqual([])
  expect(places.filter(({ place }) => !isThere(place))).toEqual([])
  expect(
    sees.filter(({ see }) => pagesIn(see).length + idsIn(see).length === 0 && !PUBLISHED.test(see)),
  ).toEqual([])
})

test('no comment names a section without saying of what, nor a document that is not in the repository', () => {
  const gone =
    /design\/[\w-]+\.md|\bwire(?:\.md)? §|(?<![\w/-])(?:wire|runtimes|reliability|performance|requirements|product|house)\.md|house rule|product demand|requirements §|\bdesign R-/
  const citing = citingFiles().filter(({ path }) => path !== 'test/documentation.test.ts')

  expect(citing.length).toBeGreaterThan(500)
  expect(citing.flatMap(({ path, text }) => strayIn(text).map((stray) => `${path}: ${stray}`))).toEqual([])
  expect(citing.filter(({ text }) => gone.test(text)).map(({ path }) => path)).toEqual([])
})

test('every id that the code or a test cites stands in docs/requirements.md', () => {
  const listed = listedIds()
  const cited = citingFiles().flatMap(({ path, text }) => idsIn(text).map((id) => ({ path, id })))

  expect(listed.size).toBeGreaterThan(400)
  expect(cited.length).toBeGreaterThan(1_000)
  expect(cited.filter(({ id }) => !listed.has(id))).toEqual([])
})

test('what a link or a fault of one is promised stands in docs/requirements.md once (FED-01)', () => {
  const page = PAGES.find(({ path }) => path === 'docs/requirements.md')?.text ?? ''
  const rows = [...page.matchAll(/^\| (F(?:ED|T)-\d+) \|/gm)].map(([, id]) => id)

  expect(rows.length).toBeGreaterThan(50)
  expect(rows.filter((id, i) => rows.indexOf(id) !== i)).toEqual([])
})
