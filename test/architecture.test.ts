/**
 * The layers of `design/house.md` A.1, held against every file of `src`: who may import whom, through which door
 * a package comes in, and how long a file may get.
 */
import { readFileSync, readdirSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '..', 'src')

/** Layer → the layers it may import besides itself. Equals never meet unless they stand here. */
const LAYERS: Readonly<Record<string, readonly string[]>> = {
  core: [],
  protocol: ['core'],
  aee: ['core', 'protocol'],
  host: ['core', 'protocol'],
  broker: ['core', 'protocol', 'aee'],
  client: ['core', 'protocol', 'aee', 'host'],
  store: ['core', 'protocol', 'broker'],
  server: ['core', 'protocol', 'aee', 'broker'],
  mcp: ['core', 'protocol', 'client'],
  runtimes: ['core', 'protocol', 'client', 'host'],
  ui: ['core', 'protocol', 'client'],
  bridge: ['core', 'protocol', 'client'],
  daemon: ['core', 'protocol', 'aee', 'host', 'broker', 'store', 'server'],
  // `aee` for what needs no daemon: checking envelopes, keys, evidence.
  cli: ['core', 'protocol', 'aee', 'host', 'client'],
}

/** What `cli` loads with `import()`, on demand. */
const ON_DEMAND = new Set(['daemon', 'mcp', 'runtimes', 'ui', 'bridge'])

/** Package → the layer that alone brings it in. */
const DOORS: Readonly<Record<string, string>> = {
  ulid: 'core',
  zod: 'protocol',
  canonicalize: 'aee',
  ajv: 'aee',
  re2js: 'aee',
  'proper-lockfile': 'host',
  koffi: 'host',
  'better-sqlite3': 'store',
  'prom-client': 'server',
  '@modelcontextprotocol/server': 'mcp',
  'jsonc-parser': 'runtimes',
  '@decimalturn/toml-patch': 'runtimes',
  commander: 'cli',
}

/** Layers of pure functions and pure state: these built-ins are all they have of Node. */
const PURE: Readonly<Record<string, readonly string[]>> = {
  core: ['node:crypto'],
  protocol: ['node:buffer'],
  aee: ['node:buffer', 'node:crypto'],
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

/** Path below `src` → its code without comments and blank lines, and its imports. */
const FILES = new Map(
  readdirSync(ROOT, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => {
      const text = readFileSync(join(ROOT, path), 'utf8')
      const code = text.replaceAll(/^\s*\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '').replaceAll(/^\s*\n/gm, '')
      return [path, { code, imports: importsOf(code) }] as const
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
    if (from === 'cli' && link.form === 'dynamic' && ON_DEMAND.has(to)) return false
    return from !== to && LAYERS[from]?.includes(to) !== true
  })

  expect(forbidden.map(show)).toEqual([])
})

test('a package comes in through one door', () => {
  const packages = LINKS.filter((link) => !isLocal(link) && !link.specifier.startsWith('node:'))
  const forbidden = packages.filter(({ path, specifier, form }) => {
    const layer = layerOf(path)
    if (specifier === 'zod' && path === 'host/config-file.ts') return false
    // A tool's arguments are schemas of the library its server is made with.
    if (specifier === 'zod' && layer === 'mcp') return false
    if (specifier === 'zod' && form === 'type' && (layer === 'server' || layer === 'client')) return false
    const name = specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')
    return (name.startsWith('@nats-io/') ? 'bridge' : DOORS[name]) !== layer
  })

  expect(forbidden.map(show)).toEqual([])
})

test('the pure layers do no input and output', () => {
  const builtins = LINKS.filter(({ specifier }) => specifier.startsWith('node:'))
  const forbidden = builtins.filter(
    ({ path, specifier }) => PURE[layerOf(path)]?.includes(specifier) === false,
  )

  expect(forbidden.map(show)).toEqual([])
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
      path === 'client/index.ts' ? /^\s*export\s+\*/m : /^\s*export\s+(?:type\s+)?(?:\*|\{[^}]*\}\s*from)/m
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

test('no file is over 250 lines of code', () => {
  const lengths = [...FILES].map(([path, { code }]) => ({ path, lines: code.split('\n').length - 1 }))

  expect(lengths.filter(({ lines }) => lines > 250)).toEqual([])
})
