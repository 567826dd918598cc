/**
 * The client as a package of its own, `dist/agentd-client`, without dependencies: what an import reads, what is behind
 * `connect`, the errors of both, signing beside them, and the types. It is made of the same sources as everything else, and agentd-bus passes it on.
 */
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { rollUp } from './roll-up.mjs'

/** The folder that the compiler has written to, as `bundle.mjs` was told. */
const [, , OUT = 'dist'] = process.argv
const FOLDER = `${OUT}/agentd-client`

const MANIFEST = JSON.parse(readFileSync('package.json', 'utf8'))

/** What only describes schemas takes the place of zod; what makes ids asks the platform for chance. */
const INSTEAD = {
  name: 'instead',
  setup({ onResolve }) {
    onResolve({ filter: /^zod$/ }, () => ({ path: resolve('src/protocol/plain/plain-zod.ts') }))
    onResolve({ filter: /^ulid$/ }, () => ({ path: resolve('node_modules/ulid/dist/browser/index.js') }))
  },
}

/**
 * Parts of Node, each loaded when something of it is used first: who imports the client has not asked for anything yet,
 * and together they cost more than all of it. An import of names is enough to have `node:fs` load streams.
 */
const AS_THEY_ARE = ['node:module', 'node:path']

const NODE_ON_FIRST_USE = {
  name: 'node-on-first-use',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:/ }, ({ path }) =>
      AS_THEY_ARE.includes(path) ? undefined : { path, namespace: 'later', sideEffects: false },
    )
    onLoad({ filter: /./, namespace: 'later' }, async ({ path }) => {
      const { default: _, ...all } = await import(path)
      return { contents: [loaderOf(path), ...Object.entries(all).map(standIn)].join('\n') }
    })
  },
}

function loaderOf(path) {
  return `import { createRequire } from 'node:module'
    let loaded
    function load() { return (loaded ??= createRequire(import.meta.url)(${JSON.stringify(path)})) }`
}

/** What stands for one name of a part of Node until it is used; nothing is made an heir of it. */
function standIn([name, value]) {
  if (typeof value !== 'function')
    return `export const ${name} = /* @__PURE__ */ new Proxy({}, { get: (_, member) => load().${name}[member] })`
  return `export function ${name}(...given) {
    const { ${name}: one } = load()
    return new.target ? new one(...given) : one(...given)
  }`
}

/** What the two calls below lead to is loaded when one of them is made first: an import reads next to nothing. */
const ENTRANCES = {
  './connect.ts': `export async function connect(options) {
    const inside = await import('./client.js')
    return inside.connect(options)
  }`,
  './service/approve-by.ts': `export function approveBy(session, options) {
    return async (task, context) => {
      const inside = await import('./client.js')
      return inside.approveBy(session, options)(task, context)
    }
  }`,
}

const ON_FIRST_CALL = {
  name: 'on-first-call',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /\.ts$/ }, ({ path, importer }) =>
      importer === resolve('src/client/index.ts') && path in ENTRANCES
        ? { path, namespace: 'entrance' }
        : undefined,
    )
    onResolve({ filter: /^\.\/client\.js$/, namespace: 'entrance' }, ({ path }) => ({ path, external: true }))
    onLoad({ filter: /./, namespace: 'entrance' }, ({ path }) => ({ contents: ENTRANCES[path] }))
  },
}

/** Of a route a client looks at its way alone: what it is for, takes and answers is said in types and replies. */
const ROUTES_WITHOUT_WORDS = {
  name: 'routes-without-words',
  setup({ onLoad }) {
    onLoad({ filter: /\/protocol\/routes\/routes\.ts$/ }, async () => {
      const { ROUTES } = await import(pathToFileURL(resolve(`${OUT}/protocol/routes/routes.js`)).href)
      const ways = Object.entries(ROUTES).map(([name, { method, path, auth }]) => [
        name,
        { method, path, auth },
      ])
      return { contents: `export const ROUTES = ${JSON.stringify(Object.fromEntries(ways))}` }
    })
  },
}

/** Where everything is that is thrown, or asked what it is: a class is one, whichever file throws it. */
const ERRORS = [
  'src/core/errors.ts',
  'src/host/files/refusal.ts',
  'src/client/envelopes/errors.ts',
  'src/client/http/errors.ts',
]

const ERRORS_APART = {
  name: 'errors-apart',
  setup({ onResolve }) {
    const paths = new Set(ERRORS.map((path) => resolve(path)))
    onResolve({ filter: /\.ts$/ }, ({ path, resolveDir }) =>
      paths.has(resolve(resolveDir, path)) ? { path: './errors.js', external: true } : undefined,
    )
  },
}

const COMMON = {
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  // Methods keep their names; those of functions are a tenth of the file.
  minifyWhitespace: true,
  minifySyntax: true,
  minifyIdentifiers: true,
  // What is thrown and not caught is shown with its line.
  lineLimit: 160,
  // What plain-zod.ts does not have would be undefined when a schema asks for it.
  logOverride: { 'import-is-undefined': 'error' },
  logLevel: 'warning',
}

/** The files, each with what it shows. */
const PARTS = [
  { name: 'errors', shows: ERRORS.map((path) => `export * from './${path}'`), plugins: [] },
  {
    name: 'index',
    shows: ["export * from './src/client/index.ts'"],
    plugins: [ON_FIRST_CALL, ERRORS_APART],
  },
  {
    name: 'client',
    shows: [
      "export { connect } from './src/client/connect.ts'",
      "export { approveBy } from './src/client/service/approve-by.ts'",
    ],
    plugins: [INSTEAD, ROUTES_WITHOUT_WORDS, ERRORS_APART, NODE_ON_FIRST_USE],
  },
  { name: 'aee', shows: ["export * from './src/client/aee.ts'"], plugins: [INSTEAD, ERRORS_APART] },
]

/** Writes the package. @param licenceOf - the licence of a package that goes in */
export async function bundleClient(licenceOf) {
  rmSync(FOLDER, { recursive: true, force: true })
  mkdirSync(FOLDER, { recursive: true })
  for (const { name, shows, plugins } of PARTS) {
    await build({
      ...COMMON,
      stdin: { contents: shows.join('\n'), resolveDir: '.', loader: 'ts' },
      outfile: `${FOLDER}/${name}.js`,
      // Whoever prints an error reads the name of its class.
      keepNames: name === 'errors',
      plugins,
    })
  }
  await requireReady()
  const types = rollUp(`${OUT}/client/index.d.ts`)
  writeFileSync(`${FOLDER}/index.d.ts`, `${DISPOSABLE}\n${types.text}`)
  writeFileSync(`${FOLDER}/aee.d.ts`, rollUp(`${OUT}/client/aee.d.ts`, types.names, './index.js').text)
  writeFileSync(`${FOLDER}/package.json`, `${JSON.stringify(manifestOfClient(), null, 2)}\n`)
  writeFileSync(`${FOLDER}/LICENSES.txt`, licenceOf('ulid'))
  copyFileSync('LICENSE', `${FOLDER}/LICENSE`)
  writeFileSync(`${FOLDER}/README.md`, README)
}

/** Makes ready what is behind `connect`: a schema with something that plain-zod.ts does not have fails here, by name. */
async function requireReady() {
  const { AgentdUnreachable, connect } = await import(pathToFileURL(resolve(FOLDER, 'index.js')).href)
  const failure = await connect({ socket: resolve(FOLDER, 'nobody') }).catch((error) => error)
  if (!(failure instanceof AgentdUnreachable)) throw failure
}

/** What `await using` closes: in no library that a compiler has by default, and types of Node are not in every project. */
const DISPOSABLE = '/// <reference lib="esnext.disposable" />'

function entry(name) {
  return { types: `./${name}.d.ts`, default: `./${name}.js` }
}

function manifestOfClient() {
  const { version, homepage, bugs, license, repository, engines } = MANIFEST
  return {
    name: 'agentd-client',
    version,
    description:
      'The client of agentd: short structured messages between the coding-agent sessions on one machine',
    keywords: MANIFEST.keywords,
    homepage,
    bugs,
    license,
    repository,
    type: 'module',
    sideEffects: false,
    exports: { '.': entry('index'), './aee': entry('aee'), './package.json': './package.json' },
    files: ['*.js', '*.d.ts', 'LICENSES.txt'],
    engines,
  }
}

const README = `# agentd-client

The client of [agentd](${MANIFEST.homepage}), without dependencies.

    import { connect } from 'agentd-client'

    const client = await connect()
    const session = await client.session({ instrument: 'my-agent' })
    await session.advise('reading the docs', { fileRefs: ['README.md'] })
    for await (const item of session.stream()) console.log(item)

What signs and checks envelopes is \`agentd-client/aee\`. The daemon is another package, agentd-bus.
`
