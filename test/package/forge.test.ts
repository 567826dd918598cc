/**
 * What stands under `.github`: read by a forge, and by nobody else before it is too late.
 */
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'

const ROOT = join(import.meta.dirname, '..', '..')
const FORGE = join(ROOT, '.github')

const textOf = (...names: readonly string[]): string => readFileSync(join(FORGE, ...names), 'utf8')
const MANIFEST = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))

interface Step {
  readonly uses?: string
  readonly run?: string
}

const WORKFLOW: {
  readonly permissions: unknown
  readonly jobs: Readonly<
    Record<
      string,
      {
        readonly steps: readonly Step[]
        readonly strategy?: { readonly matrix: { readonly node: readonly string[] } }
      }
    >
  >
} = parse(textOf('workflows', 'ci.yml'))

const STEPS = Object.values(WORKFLOW.jobs).flatMap(({ steps }) => steps)

test('every file parses, without a warning', () => {
  const files = readdirSync(FORGE, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.yml'),
  )

  expect(files.length).toBeGreaterThan(2)
  for (const file of files)
    expect(parse(textOf(file), { strict: true, logLevel: 'error' }), file).toBeTypeOf('object')
})

test('the workflow runs .ci/run, on the oldest Node that is promised and on those that .ci/run itself takes', () => {
  const linux = WORKFLOW.jobs['linux']
  const run = readFileSync(join(ROOT, '.ci', 'run'), 'utf8')
  const majors = new Set([...run.matchAll(/for major in ([\d ]+);/g)].map(([, said = '']) => said))

  expect(linux?.steps.map(({ run }) => run)).toContain('.ci/run')
  expect(existsSync(join(ROOT, '.ci', 'run'))).toBe(true)
  expect(linux?.strategy?.matrix.node).toEqual([
    MANIFEST.engines.node.replace('>=', ''),
    ...[...majors].flatMap((said) => said.split(' ')),
  ])
})

test('the workflow installs what .ci/run would, which it cannot without being root', () => {
  const wanted = [...readFileSync(join(ROOT, '.ci', 'run'), 'utf8').matchAll(/need\+=\(([^)]+)\)/g)].flatMap(
    ([, names = '']) => names.split(' '),
  )
  const installed = STEPS.find(({ run }) => run?.includes('apt-get'))?.run?.split(' ') ?? []

  expect(wanted.length).toBeGreaterThan(5)
  // The runner brings a Chrome, which does as well, and its distribution has no package of this name.
  expect(wanted.filter((name) => !installed.includes(name))).toEqual(['chromium'])
})

test('the workflow may read and nothing else, and its actions are named with their major version', () => {
  expect(WORKFLOW.permissions).toEqual({ contents: 'read' })
  expect(STEPS.flatMap(({ uses }) => uses ?? [])).not.toEqual([])
  for (const { uses } of STEPS) if (uses !== undefined) expect(uses).toMatch(/^actions\/[a-z-]+@v\d+$/)
})

test('a report of a fault asks for what tells of it', () => {
  const { body } = parse(textOf('ISSUE_TEMPLATE', 'bug.yml'))
  const labels = body.map((field: { attributes: { label: string } }) => field.attributes.label)

  expect(labels).toEqual(expect.arrayContaining(['agentd doctor', 'agentd status --json', 'AGENTD_DEBUG']))
  expect(readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8')).toContain('## Looking inside')
})
