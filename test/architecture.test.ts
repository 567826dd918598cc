/**
 * The floor plan, held against every file of `src`: who may import whom, through which door a package comes in, and how
 * long a file and how full a folder may get.
 *
 * @see docs/architecture.md
 */
import { readFileSync, readdirSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { expect, test } from 'vitest'
import {
  LAYERS,
  ON_DEMAND,
  RUNTIME_WINGS,
  SHARED_BY_RUNTIMES,
  TOOLS_OF_DAEMON,
  WINGS,
} from './support/house.ts'

const ROOT = join(import.meta.dirname, '..', 'src')

/** Package → the layer that alone brings it in. */
const DOORS: Readonly<Record<string, string>> = {
  ulid: 'core',
  zod: 'protocol',
  ajv: 'aee',
  re2js: 'aee',
  'proper-lockfile': 'host',
  koffi: 'host',
  'better-sqlite3': 'store',
  '@modelcontextprotocol/server': 'mcp',
  diff: 'runtimes',
  'jsonc-parser': 'runtimes',
  '@decimalturn/toml-patch': 'runtimes',
  commander: 'cli',
  '@nats-io/jetstream': 'bridge',
  '@nats-io/transport-node': 'bridge',
  preact: 'ui',
  '@preact/signals': 'ui',
}

/** The configuration file is checked where it is read. */
const CONFIGURATION: ReadonlySet<string> = new Set([
  'host/config/config-file.ts',
  'host/config/config-keys.ts',
  'host/config/link-section.ts',
  'host/config/reader-sections.ts',
])

/** Layers of pure functions and pure state: these built-ins are all they have of Node. */
const PURE: Readonly<Record<string, readonly string[]>> = {
  core: ['node:buffer', 'node:crypto'],
  protocol: ['node:buffer'],
  aee: ['node:buffer', 'node:crypto'],
  link: ['node:crypto'],
  broker: ['node:crypto'],
}

interface Import {
  readonly specifier: string
  readonly form: 'value' | 'type' | 'dynamic'
}

/** One statement: `import … from 'x'`, `export … from 'x'`, `import 'x'`, `import('x')`, and what it brings. */
const IMPORT =
  /^\s*(?<keyword>import|export)\s+(?<type>type\s)?(?:[^'";()]*?\sfrom\s+)?'(?<from>[^']+)'|\bimport\(\s*['"`](?<called>[^'"`]+)/gm

function importsOf(code: string): Import[] {
  return [...code.matchAll(IMPORT)].map(({ groups = {} }) => ({
    specifier: groups['from'] ?? groups['called'] ?? '',
    form: groups['called'] !== undefined ? 'dynamic' : groups['type'] === undefined ? 'value' : 'type',
  }))
}

/** Path below `src` → its code without comments and blank lines, its imports, and how many lines it has in all. */
const FILES = new Map(
  readdirSync(ROOT, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path))
    .map((path) => {
      const text = readFileSync(join(ROOT, path), 'utf8')
      const code = text.replaceAll(/^\s*\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '').replaceAll(/^\s*\n/gm, '')
      return [path, { code, imports: importsOf(code), lines: text.split('\n').length - 1 }] as const
    }),
)

const LINKS = [...FILES].flatMap(([path, { imports }]) => imports.map((found) => ({ path, ...found })))

function layerOf(path: string): string {
  return path.split('/')[0] ?? ''
}

function targetOf({ path, specifier }: { path: string; specifier: string }): string {
  return normalize(join(dirname(path), specifier))
}

function show({ path, specifier, form }: { path: string } & Import): string {
  return `${path} → ${specifier} (${form})`
}

const isLocal = ({ specifier }: Import): boolean => specifier.startsWith('.')

test('there are files and imports to look at', () => {
  expect(FILES.size).toBeGreaterThan(50)
  expect(LINKS.length).toBeGreaterThan(FILES.size)
  for (const layer of ['core', 'protocol', 'broker', 'server', 'daemon']) {
    expect([...FILES.keys()].map(layerOf), layer).toContain(layer)
  }
})

test('every way of importing is seen', () => {
  const code =
    "import 'a'\nimport b, { type B } from 'b'\nimport type {\n  C,\n} from 'c'\nexport * from 'd'\nlet e: import('e').E\n"

  const seen = importsOf(`${code}const f = await import('f')\nexport const g = 'from'\n`)

  expect(seen.map(({ specifier, form }) => `${form} ${specifier}`)).toEqual([
    'value a',
    'value b',
    'type c',
    'value d',
    'dynamic e',
    'dynamic f',
  ])
})

test('every file is in a layer, and every import is of a file that is there', () => {
  const strays = [...FILES.keys()].filter(
    (path) => !path.includes('/') || !Object.hasOwn(LAYERS, layerOf(path)),
  )
  const dangling = LINKS.filter((link) => isLocal(link) && !FILES.has(targetOf(link)))

  expect({ strays, dangling: dangling.map(show) }).toEqual({ strays: [], dangling: [] })
})

test('a file imports its own layer or one below it, types included', () => {
  const forbidden = LINKS.filter(isLocal).filter((link) => {
    const [from, to] = [layerOf(link.path), layerOf(targetOf(link))]
    // A type costs a start nothing, so it may be named before the code is loaded.
    if (from === 'cli' && link.form !== 'value' && ON_DEMAND.has(to)) return false
    return from !== to && LAYERS[from]?.may.includes(to) !== true
  })

  expect(forbidden.map(show)).toEqual([])
})

test('a file imports its own wing or one that the plan names for it, types included', () => {
  const inside = LINKS.filter(isLocal).filter((link) => layerOf(link.path) === layerOf(targetOf(link)))
  const forbidden = inside.filter((link) => {
    const [from, to] = [dirname(link.path), dirname(targetOf(link))]
    return from !== to && WINGS[from]?.may.includes(to) !== true
  })

  expect(inside.length).toBeGreaterThan(500)
  expect(forbidden.map(show)).toEqual([])
})

test('the plan names each layer and each wing that is there, and no other', () => {
  const folders = new Set([...FILES.keys()].map((path) => dirname(path)))
  const layers = new Set([...FILES.keys()].map(layerOf))
  const withWings = [...folders].filter((folder) => folder.includes('/'))
  const winged = new Set(withWings.map(layerOf))
  const atRoot = [...folders].filter((folder) => winged.has(folder))

  expect(Object.keys(LAYERS).toSorted()).toEqual([...layers].toSorted())
  expect(Object.keys(WINGS).toSorted()).toEqual([...withWings, ...atRoot].toSorted())
})

test('wings have no circles: each can be read, tested and moved once those it stands on are known', () => {
  const order: string[] = []
  const circles: string[] = []
  const walk = (wing: string, way: readonly string[]): void => {
    if (way.includes(wing)) circles.push([...way.slice(way.indexOf(wing)), wing].join(' → '))
    if (order.includes(wing) || way.includes(wing)) return
    for (const below of WINGS[wing]?.may ?? []) walk(below, [...way, wing])
    order.push(wing)
  }
  for (const wing of Object.keys(WINGS)) walk(wing, [])

  expect(order).toHaveLength(Object.keys(WINGS).length)
  expect(circles).toEqual([])
})

/** Whether any file of one room imports one of the other. */
function isUsed(from: string, to: string, roomOf: (path: string) => string): boolean {
  return LINKS.some((link) => isLocal(link) && roomOf(link.path) === from && roomOf(targetOf(link)) === to)
}

/** Whose rule it is: a runtime has what runtimes have, whether it needs it or not. */
function sharersOf(from: string, to: string): readonly string[] {
  return RUNTIME_WINGS.includes(from) && SHARED_BY_RUNTIMES.has(to) ? RUNTIME_WINGS : [from]
}

test('every rule of the plan is used, and says why it stands', () => {
  const idle = [
    ...Object.entries(LAYERS).flatMap(([from, { may }]) =>
      may.filter((to) => !isUsed(from, to, layerOf)).map((to) => `${from} → ${to}`),
    ),
    ...Object.entries(WINGS).flatMap(([from, { may }]) =>
      may
        .filter((to) => !sharersOf(from, to).some((one) => isUsed(one, to, dirname)))
        .map((to) => `${from} → ${to}`),
    ),
  ]
  const unexplained = Object.entries({ ...LAYERS, ...WINGS }).filter(([, { why }]) => why.length < 10)

  expect({ idle, unexplained }).toEqual({ idle: [], unexplained: [] })
})

test('a package comes in through one door', () => {
  const packages = LINKS.filter((link) => !isLocal(link) && !link.specifier.startsWith('node:'))
  const forbidden = packages.filter(({ path, specifier, form }) => {
    const layer = layerOf(path)
    if (specifier === 'zod' && CONFIGURATION.has(path)) return false
    // A tool's arguments are schemas of the library its server is made with.
    if (specifier === 'zod' && layer === 'mcp') return false
    if (specifier === 'zod' && form === 'type' && (layer === 'server' || layer === 'client')) return false
    const name = specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')
    return DOORS[name] !== layer
  })

  expect(forbidden.map(show)).toEqual([])
})

test('the daemon loads tools, and what they stand on, through one file and on demand', () => {
  const { file, layers } = TOOLS_OF_DAEMON
  const local = LINKS.filter(isLocal)
  const others = local.filter(
    (link) => layerOf(link.path) === 'daemon' && link.path !== file && layers.has(layerOf(targetOf(link))),
  )
  const ways = local.filter((link) => targetOf(link) === file).map(({ form }) => form)

  expect(others.map(show)).toEqual([])
  expect(ways).toEqual(['dynamic'])
})

test('the pure layers do no input and output', () => {
  const builtins = LINKS.filter(({ specifier }) => specifier.startsWith('node:'))
  const forbidden = builtins.filter(
    ({ path, specifier }) => PURE[layerOf(path)]?.includes(specifier) === false,
  )

  expect(forbidden.map(show)).toEqual([])
})

test('no key is made in pairs: to export one may wait for ever on Node 20 (`aee/keys/seed.ts`)', () => {
  const makers = [...FILES.keys()].filter((path) =>
    /\bgenerateKeyPair\w*\(/.test(readFileSync(join(ROOT, path), 'utf8')),
  )

  expect(makers).toEqual([])
})

/** What a browser runs, and what it shares with the terminal. */
const IN_A_BROWSER = /^ui\/(?:page|seat)\//

test('what a browser runs imports nothing of Node and no schema library, by any way round (SEAT-44)', () => {
  const reached = new Set([...FILES.keys()].filter((path) => IN_A_BROWSER.test(path)))
  const foreign: string[] = []
  // Grows while it is walked.
  for (const path of reached) {
    for (const found of FILES.get(path)?.imports ?? []) {
      const link = { path, ...found }
      if (found.form === 'type') continue
      if (isLocal(link)) reached.add(targetOf(link))
      else if (!/^@?preact\b/.test(found.specifier)) foreign.push(show(link))
    }
  }

  expect(reached.size).toBeGreaterThan(40)
  expect(foreign).toEqual([])
})

test('the page writes no HTML, runs no text and names no address but its own (SEAT-44)', () => {
  const folder = join(ROOT, 'ui', 'page')
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const sources = names.filter((name) => /\.(?:tsx?|css|html)$/.test(name))
  const forbidden =
    /dangerouslySetInnerHTML|(?:inner|outer)HTML|insertAdjacent|document\.write|style=["'`]|\beval\b|new Function|https?:/

  expect(sources.length).toBeGreaterThan(30)
  expect(sources.filter((name) => forbidden.test(readFileSync(join(folder, name), 'utf8')))).toEqual([])
})

test('no file imports itself by any way round, types included', () => {
  const finished = new Set<string>()
  const cycles: string[] = []

  const walk = (path: string, way: readonly string[]): void => {
    if (way.includes(path)) cycles.push([...way.slice(way.indexOf(path)), path].join(' → '))
    if (finished.has(path) || way.includes(path)) return
    const here = FILES.get(path)?.imports.filter(isLocal) ?? []
    for (const { specifier } of here) walk(targetOf({ path, specifier }), [...way, path])
    finished.add(path)
  }
  for (const path of FILES.keys()) walk(path, [])

  expect(cycles).toEqual([])
})

test('only the client library re-exports, and it names what it does', () => {
  const barrels = [...FILES].filter(([path, { code }]) => {
    const pattern =
      path === 'client/index.ts' || path === 'client/aee.ts'
        ? /^\s*export\s+\*/m
        : /^\s*export\s+(?:type\s+)?(?:\*|\{[^}]*\}\s*from)/m
    return pattern.test(code)
  })

  expect(barrels.map(([path]) => path)).toEqual([])
})

test('only host reads the environment', () => {
  const readers = [...FILES].filter(
    ([path, { code }]) => layerOf(path) !== 'host' && /\bprocess\.env\b/.test(code),
  )

  expect(readers.map(([path]) => path)).toEqual([])
})

/** As a reader meets a file: its comments are part of what has to be read. */
const MAX_LINES_OF_A_FILE = 250

test('no file is over 250 lines, its comments counted', () => {
  const lengths = [...FILES].map(([path, { lines }]) => ({ path, lines }))

  expect(lengths.filter(({ lines }) => lines > MAX_LINES_OF_A_FILE)).toEqual([])
  expect(Math.max(...lengths.map(({ lines }) => lines))).toBeGreaterThan(100)
})

/** More doors on one corridor than a reader takes in at a glance. */
const MAX_FILES_OF_A_FOLDER = 15

test('no folder holds more than fifteen files', () => {
  const counts = new Map<string, number>()
  for (const path of FILES.keys()) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1)

  expect(counts.size).toBeGreaterThan(50)
  expect([...counts].filter(([, count]) => count > MAX_FILES_OF_A_FOLDER)).toEqual([])
})
