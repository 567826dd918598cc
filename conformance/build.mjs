/**
 * The package `agentd-conformance`: one file, the vectors, and a manifest without dependencies, in `dist/agentd-conformance`.
 */
import { copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { build } from 'esbuild'

const [, , OUT = 'dist'] = process.argv
const FOLDER = `${OUT}/agentd-conformance`

rmSync(FOLDER, { recursive: true, force: true })
await build({
  entryPoints: ['conformance/src/main.ts'],
  outfile: `${FOLDER}/main.js`,
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  logLevel: 'warning',
})
mkdirSync(`${FOLDER}/vectors`)
cpSync('conformance/vectors', `${FOLDER}/vectors`, { recursive: true })
copyFileSync('LICENSE', `${FOLDER}/LICENSE`)
copyFileSync('docs/conformance.md', `${FOLDER}/README.md`)

const { version, license, repository, bugs, engines } = JSON.parse(readFileSync('package.json', 'utf8'))
const manifest = {
  name: 'agentd-conformance',
  version,
  description: 'Vectors and a runner for implementations of the Agent-Channel Fan-Out memo and of AEE',
  keywords: ['agents', 'conformance', 'fan-out', 'server-sent-events', 'test-vectors'],
  license,
  repository: { ...repository, directory: 'conformance' },
  bugs,
  type: 'module',
  bin: { 'agentd-conformance': 'main.js' },
  exports: { './vectors/*': './vectors/*', './package.json': './package.json' },
  files: ['main.js', 'vectors'],
  engines,
}
writeFileSync(`${FOLDER}/package.json`, `${JSON.stringify(manifest, undefined, 2)}\n`)
