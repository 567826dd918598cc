/**
 * What is bundled after the compiler has written `dist`: the parts whose start somebody waits for.
 *
 * A graph of two hundred modules costs a start more than all that they do. So each of the command's short ways is one
 * CommonJS file, and the daemon and the full command are an entry each with a few parts beside it in `dist/bundle` and
 * `dist/command`, those that are loaded on demand among them. The library is a package of its own (`bundle-client.mjs`).
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { minify } from 'terser'
import * as zod from 'zod'
import { bundleClient } from './bundle-client.mjs'
import { shortenNames } from './short-names.mjs'

/**
 * Packages that go into the daemon's files; the others are found when they are asked for, if they are installed.
 * Pure ones only: what looks for a binary beside itself would not find it.
 */
const BUNDLED = ['ulid']

/** The folder that the compiler has written to. */
const [, , OUT = 'dist'] = process.argv

const SHARED = { bundle: true, platform: 'node', target: 'node20', outbase: 'src', logLevel: 'warning' }

const { dependencies, optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8'))

/** What a runtime's record loads on demand, of which a short way has only what it asks for. */
const ON_DEMAND = /^\.\/(?:about|wake)\.ts$/

/** @param wanted - of the above, what goes into these files; the rest stays the path it is, and is never loaded */
function recordsWith(wanted) {
  return {
    name: 'records',
    setup({ onResolve }) {
      onResolve({ filter: ON_DEMAND }, ({ path, kind }) =>
        kind === 'dynamic-import' && !wanted.includes(path) ? { path, external: true } : undefined,
      )
    },
  }
}

/** zod brings its words in fifty languages, a third of its size, and the refusals here are in words of our own. */
const WITHOUT_LANGUAGES = {
  name: 'without-languages',
  setup({ onLoad }) {
    onLoad({ filter: /\/zod\/v4\/locales\/index\.js$/ }, () => ({ contents: 'export {}' }))
  },
}

/**
 * Making the schemas of zod was a quarter of a start, for values that hardly ever have a fault. What reads values has them
 * from the part of zod that they are written with; zod itself is left to what writes them down as JSON Schema.
 */
const PLAIN_ZOD = {
  name: 'plain-zod',
  setup({ onResolve }) {
    onResolve({ filter: /^zod$/ }, () => ({ path: resolve('src/protocol/plain/plain-zod.ts') }))
  },
}

/** What is with zod finds it by this name in `imports` of package.json, as a file of its own. */
const ZOD = '#zod'

const ZOD_APART = {
  name: 'zod-apart',
  setup({ onResolve }) {
    onResolve({ filter: /^zod(?:\/v4)?$/ }, () => ({ path: ZOD, external: true }))
  },
}

/** For what has to be without it: a line that brings it in fails the build. */
const WITHOUT_ZOD = {
  name: 'without-zod',
  setup({ onResolve }) {
    onResolve({ filter: /^zod(?:\/|$)/ }, ({ importer }) => ({
      errors: [{ text: `${importer} brings zod in` }],
    }))
  },
}

/**
 * A server of MCP may ask a person by a form, and brings a validator of JSON Schema for what they answer, a quarter of all
 * the tools. agentd sends no form.
 */
const WITHOUT_FORMS = {
  name: 'without-forms',
  setup({ onResolve, onLoad }) {
    const namespace = 'without-forms'
    onResolve({ filter: /^@modelcontextprotocol\/server\/_shims$/ }, ({ path }) => ({ path, namespace }))
    onLoad({ filter: /./, namespace }, () => ({
      contents: `
        export { default as process } from 'node:process'
        export class DefaultJsonSchemaValidator {
          getValidator() {
            throw new Error('agentd sends no forms')
          }
        }`,
    }))
  },
}

const SHORT_WAY = {
  ...SHARED,
  outdir: OUT,
  format: 'cjs',
  outExtension: { '.js': '.cjs' },
  minifyWhitespace: true,
  minifySyntax: true,
}

const shortWays = await build({
  ...SHORT_WAY,
  metafile: true,
  entryPoints: [
    'src/cli/fast/fast.ts',
    'src/cli/fast/hook-fast.ts',
    'src/cli/fast/mcp-fast.ts',
    'src/cli/fast/top-fast.ts',
    'src/runtimes/git/short-way.ts',
  ],
  plugins: [recordsWith([])],
})
/**
 * @param parts - the folder of `dist` for what the entries share or load on demand
 * @param bundled - packages that go in
 */
function optionsWithParts(parts, entryPoints, plugins, bundled = BUNDLED) {
  return {
    ...SHARED,
    entryPoints,
    plugins,
    // What plain-zod.ts does not have would be undefined when a schema asks for it.
    logOverride: { 'import-is-undefined': 'error' },
    outdir: OUT,
    // As deep as the compiler's own files: `host/package.ts` finds the package from here.
    chunkNames: `${parts}/[name]-[hash]`,
    format: 'esm',
    splitting: true,
    // Names are kept, so that a stack trace in the log can be read, but for those of `short-names.mjs`.
    minifyWhitespace: true,
    minifySyntax: true,
    // What is not of this package is most of the tools; and a command that fails says so in words, not in a trace.
    minifyIdentifiers: parts !== 'bundle',
    external: Object.keys({ ...dependencies, ...optionalDependencies }).filter(
      (name) => !bundled.includes(name),
    ),
    allowOverwrite: true,
  }
}

/** @returns the files of it, and those of them that import zod */
async function bundleWithParts(parts, entryPoints, plugins = [], more = []) {
  const bundled = [...BUNDLED, ...more]
  // The names of the parts carry a hash of their content; those of an earlier build would be shipped for ever.
  rmSync(`${OUT}/${parts}`, { recursive: true, force: true })
  const options = optionsWithParts(parts, entryPoints, plugins, bundled)
  const { outputs } = (await build({ ...options, metafile: true })).metafile
  writeFileSync(`${OUT}/${parts}/LICENSES.txt`, bundled.map(licenceOf).join('\n'))
  const files = Object.keys(outputs)
  return { files, withZod: files.filter((file) => outputs[file].imports.some(({ path }) => path === ZOD)) }
}

/** @param path - of a file below `dist` that has a bundle of its own: in another one, its users would pay for it */
function apart(filter, path) {
  return {
    name: path,
    setup({ onResolve }) {
      onResolve({ filter }, () => ({ path, external: true }))
    },
  }
}

/**
 * Of what a start shares with what it loads on demand, the bundler makes a part for every set of files that reach it: two
 * dozen small ones, and more with any change. All of it has been loaded when something is loaded on demand, so whatever
 * that is may name all of it, and what is reached by the same files is one part.
 *
 * @param main - the entry that loads on demand; what another entry shares with it stays beside that
 */
async function asOnePart(main, ...bundle) {
  const { metafile } = await build({ ...optionsWithParts(...bundle), write: false, metafile: true })
  const { shared, onDemand } = readStart(metafile, main)
  return {
    name: 'as-one-part',
    setup({ onResolve, onLoad }) {
      // Nothing in this package has effects, so what is named and not used would be left out.
      onResolve({ filter: /\.ts$/ }, ({ path, resolveDir }) => {
        const file = resolve(resolveDir, path)
        return shared.has(file) ? { path: file, sideEffects: true } : undefined
      })
      onLoad({ filter: /\.ts$/ }, ({ path }) => {
        if (!onDemand.has(path)) return undefined
        const named = [...shared].map((file) => `import ${JSON.stringify(file)}`)
        return { contents: [readFileSync(path, 'utf8'), ...named].join('\n'), loader: 'ts' }
      })
    },
  }
}

/** @returns the sources an entry loads at once from parts it shares, and those it loads on demand, all by their full path */
function readStart({ outputs }, main) {
  const mainOutput = Object.keys(outputs).find((name) => outputs[name].entryPoint === main)
  const parts = new Set([mainOutput])
  const onDemand = new Set()
  for (const part of parts) {
    for (const { path, kind, external } of outputs[part].imports) {
      if (!external && kind === 'import-statement') parts.add(path)
    }
  }
  for (const { imports } of Object.values(outputs)) {
    for (const { path, kind, external } of imports) {
      if (!external && kind === 'dynamic-import') onDemand.add(resolve(outputs[path].entryPoint))
    }
  }
  parts.delete(mainOutput)
  const sources = [...parts].flatMap((part) => Object.keys(outputs[part].inputs))
  const shared = new Set(sources.filter((path) => path.startsWith('src/')).map((path) => resolve(path)))
  // What is loaded at once as well names nothing more: that would be a circle.
  for (const file of shared) onDemand.delete(file)
  return { shared, onDemand }
}

const WITHOUT_DAEMON = apart(/\/daemon\/main\.ts$/, '../daemon/main.js')
const WITHOUT_TOOLS = apart(/^\.\/tools\.ts$/, '../daemon/serving/tools.js')
const WITHOUT_SERVER = apart(/\/mcp\/serve\.ts$/, '../mcp/serve.js')
const WITHOUT_DOCUMENTS = apart(/\/documents\/openapi\.ts$/, '../server/documents/openapi.js')
const WITHOUT_KEYS = apart(/\/config\/config-keys\.ts$/, '../host/config/config-keys.js')

const COMMAND = ['command', ['src/cli/main.ts', 'src/cli/run/report.ts', 'src/cli/seat/run-top.ts']]
const WITHOUT = [PLAIN_ZOD, WITHOUT_DAEMON, WITHOUT_SERVER, WITHOUT_KEYS]

// The entry loads next to nothing; what is waited for is what runs. The daemon wakes, and sets nothing up.
const DAEMON = ['bundle', ['src/daemon/main.ts']]
const IN_DAEMON = [PLAIN_ZOD, WITHOUT_TOOLS, WITHOUT_DOCUMENTS, recordsWith(['./wake.ts'])]
const own = [
  await bundleWithParts(...DAEMON, [
    ...IN_DAEMON,
    await asOnePart('src/daemon/run.ts', ...DAEMON, IN_DAEMON),
  ]),
  await bundleWithParts(...COMMAND, [...WITHOUT, await asOnePart('src/cli/main.ts', ...COMMAND, WITHOUT)]),
]
// With zod itself: the tools of agent runtimes, in the daemon and in the pipe while there is none, and what is written down
// as JSON Schema.
const tools = await bundleWithParts(
  'tools',
  [
    'src/daemon/serving/tools.ts',
    'src/mcp/serve.ts',
    'src/server/documents/openapi.ts',
    'src/host/config/config-keys.ts',
  ],
  [ZOD_APART, WITHOUT_FORMS, recordsWith([])],
  ['zod', '@modelcontextprotocol/server'],
)

// The process of a link, and the one that gives a hub its streams: a file each, without a schema library, since what they
// read is read by the link's own rules.
await build({
  ...SHARED,
  entryPoints: ['src/bridge/main.ts', 'src/bridge/hub-admin.ts'],
  plugins: [WITHOUT_ZOD],
  outdir: OUT,
  format: 'esm',
  // It writes no stack trace, so nobody reads its names.
  minify: true,
  external: Object.keys(optionalDependencies),
  allowOverwrite: true,
})

await build({
  ...SHARED,
  stdin: {
    contents: `export { ${zodNames(tools.withZod).join(', ')} } from 'zod'`,
    resolveDir: '.',
  },
  outfile: `${OUT}/tools/zod.js`,
  plugins: [WITHOUT_LANGUAGES],
  format: 'esm',
  minify: true,
})

// Once it is known what they use of zod: a short name may be any letter.
const [daemon] = own
await shortenNames([...Object.keys(shortWays.metafile.outputs), ...daemon.files])

await bundleClient(licenceOf)

// The person's page: four files by fixed names, which a process reads into memory. What is not its own goes with it.
const PAGE = `${OUT}/ui/page`
rmSync(PAGE, { recursive: true, force: true })
const page = await build({
  bundle: true,
  entryPoints: ['src/ui/page/main.tsx'],
  platform: 'browser',
  target: ['chrome120', 'firefox121', 'safari17'],
  format: 'esm',
  minify: true,
  // Elements as calls with their children behind them, which are shorter than objects that hold them.
  inject: [fileURLToPath(import.meta.resolve('preact'))],
  tsconfigRaw: {
    compilerOptions: { jsx: 'react', jsxFactory: 'createElement', jsxFragmentFactory: 'Fragment' },
  },
  legalComments: 'none',
  logLevel: 'warning',
  write: false,
})
// A second pass over the whole: the page has a bound, and this is worth a twentieth of it (SEAT-33).
const { code } = await minify(page.outputFiles[0].text, {
  module: true,
  ecma: 2022,
  // What is written once and called once stays apart: repeated shapes pack better than shorter ones. `unsafe` takes the
  // browser's own functions to be what they are.
  // oxlint-disable-next-line typescript/no-unsafe-enum-assignment -- its names are types alone
  compress: { passes: 6, lhs_constants: false, inline: 1, unsafe: true, unsafe_arrows: true },
  format: { ascii_only: true },
})
mkdirSync(PAGE, { recursive: true })
writeFileSync(`${PAGE}/page.js`, code)
await build({ entryPoints: ['src/ui/page/page.css'], outdir: PAGE, minify: true, logLevel: 'warning' })
for (const name of ['index.html', 'icon.svg'])
  writeFileSync(
    `${PAGE}/${name}`,
    readFileSync(`src/ui/page/${name}`, 'utf8').replaceAll(/\n\s*| (?=\/>)/g, ''),
  )
writeFileSync(
  `${PAGE}/LICENSES.txt`,
  ['preact', '@preact/signals', '@preact/signals-core'].map(licenceOf).join('\n'),
)

/**
 * Half of zod is of no use here, and every start would read it all the same.
 *
 * @returns the names that these files use, by `namespace.name`, the one way a bundle has
 */
function zodNames(files) {
  const names = new Set()
  for (const text of files.map((file) => readFileSync(file, 'utf8'))) {
    for (const [, namespace] of text.matchAll(/import ?\* ?as ([\w$]+) from ?"#zod"/g)) {
      const uses = new RegExp(`(?<![\\w$.])${namespace.replaceAll('$', '\\$')}\\.([\\w$]+)`, 'g')
      for (const [, name] of text.matchAll(uses)) names.add(name)
    }
  }
  // A local variable may have the letter of a namespace, and members of its own.
  return [...names].filter((name) => name in zod)
}

/** What is copied goes with its licence. */
function licenceOf(name) {
  const { version } = JSON.parse(readFileSync(`node_modules/${name}/package.json`, 'utf8'))
  return `${name} ${version}\n\n${readFileSync(`node_modules/${name}/LICENSE`, 'utf8')}`
}
