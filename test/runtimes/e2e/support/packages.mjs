/**
 * The published packages, out of the npm registry, in pinned versions.
 *
 * Install scripts are not run. The registry is the one npm is set up for; npm is the one program of a run that
 * sees the variables around it.
 */
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { endGroup, ownGroup } from './cleanup.mjs'

/** How long one package may take, in milliseconds. */
const INSTALL_MS = 150_000

/** Of what npm complains about, the end. */
const OUTPUT_CHARS = 100_000

/** The versions the adapters were written against. Latest of npm is another matter. */
const { platform, arch } = process
const TRIPLES = { x64: 'x86_64-unknown-linux-musl', arm64: 'aarch64-unknown-linux-musl' }

/** Name → what npm is asked for, and where its program then lies. */
const PACKAGES = {
  'claude-code': {
    version: '2.1.332',
    spec: `@anthropic-ai/claude-code-${platform}-${arch}@2.1.332`,
    program: `@anthropic-ai/claude-code-${platform}-${arch}/claude`,
  },
  codex: {
    version: '0.171.0',
    spec: `@openai/codex@0.171.0-${platform}-${arch}`,
    program: `@openai/codex/vendor/${TRIPLES[arch]}/bin/codex`,
  },
  gemini: {
    version: '0.61.0',
    spec: '@google/gemini-cli@0.61.0',
    program: '@google/gemini-cli/bundle/gemini.js',
  },
  opencode: {
    version: '1.18.33',
    spec: `opencode-${platform}-${arch}@1.18.33`,
    program: `opencode-${platform}-${arch}/bin/opencode`,
  },
  copilot: {
    version: '1.0.102',
    spec: `@github/copilot-${platform}-${arch}@1.0.102`,
    program: `@github/copilot-${platform}-${arch}/copilot`,
  },
  inspector: {
    version: '0.15.0',
    spec: '@modelcontextprotocol/inspector@0.15.0',
    program: '@modelcontextprotocol/inspector/cli/build/cli.js',
  },
  conformance: {
    version: '0.1.16',
    spec: '@modelcontextprotocol/conformance@0.1.16',
    program: '@modelcontextprotocol/conformance/dist/index.js',
  },
  /** The conformance suite does not run on Node 20. */
  node22: {
    version: '22.23.3',
    spec: `node-${platform}-${arch}@22.23.3`,
    program: `node-${platform}-${arch}/bin/node`,
  },
}

/** Every package there is. */
export const PACKAGE_NAMES = Object.keys(PACKAGES)

/**
 * Installs one package into a folder of its own.
 *
 * @returns `{name, version, program}`, or `{name, version, skipped}` with the reason
 */
export async function installPackage(name, folder) {
  const { version, spec, program } = PACKAGES[name]
  const place = join(folder, name)
  const path = join(place, 'node_modules', program)
  // A folder that was kept from an earlier run.
  if (existsSync(path)) return { name, version, program: path }
  mkdirSync(place, { recursive: true })
  writeFileSync(join(place, 'package.json'), '{"private":true}\n')
  const failure = await runNpm(place, [
    'install',
    '--ignore-scripts',
    '--no-save',
    '--no-audit',
    '--no-fund',
    '--no-update-notifier',
    spec,
  ])
  if (failure !== undefined) return { name, version, skipped: `npm cannot install ${spec}: ${failure}` }
  if (!existsSync(path)) return { name, version, skipped: `${spec} holds no ${program}` }
  return { name, version, program: path }
}

/** @returns undefined, or the first line of why not */
function runNpm(cwd, args) {
  const child = spawn('npm', args, { cwd, detached: true, stdio: ['ignore', 'ignore', 'pipe'] })
  ownGroup(child)
  let [said, isLate] = ['', false]
  child.stderr.setEncoding('utf8').on('data', (chunk) => {
    said = (said + chunk).slice(-OUTPUT_CHARS)
  })
  const timer = setTimeout(() => {
    isLate = true
    endGroup(child)
  }, INSTALL_MS)
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('close', (code) => {
      clearTimeout(timer)
      if (code === 0) return resolve(undefined)
      const lines = said.split('\n').filter((line) => /^npm (?:ERR!|error) (?!code|A complete)/.test(line))
      const why = lines[0]?.replace(/^npm (?:ERR!|error) /, '') ?? `it ended with ${code}`
      resolve(isLate ? `it took more than ${INSTALL_MS} ms` : why.slice(0, 300))
    })
  })
}
