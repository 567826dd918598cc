/**
 * The published agent runtimes, driven offline against models of our own, with agentd in their hands.
 *
 *   npm run build && npm run e2e:runtimes
 *   npm run e2e:runtimes -- --only claude-code --json results.json
 *   npm run e2e:runtimes -- --packages ~/.cache/runtimes --captured fixtures
 *   npm run e2e:runtimes -- --figures --only figures.codex
 *
 * `--only` takes the beginnings of scenario ids, with commas between them; `--list` names the scenarios;
 * `--packages` keeps the packages for the next run; `--captured` writes the payloads the runtimes really sent,
 * without what is this machine's; `--figures` measures instead, on a machine that has nothing else to do; `--json` writes the summary, which the last line of stdout holds as well.
 *
 * Packages come from the npm registry in pinned versions; one that npm does not have is skipped by name, and so is
 * what needs it. Every runtime gets an empty home, variables made from nothing, a mock model on the loopback
 * interface, and a proxy that refuses everything else and remembers who asked. Nothing of the person's is read,
 * ended or written. All of it is ended and removed at the end, also on Ctrl-C and when the bound is reached.
 *
 * The exit code is 0 when nothing failed. `AGENTD_E2E_ROOT` runs another built tree.
 */
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { Fixtures } from './support/captured.mjs'
import { Skipped } from './support/checks.mjs'
import { cleanUp, cleanUpAtExit, ownDirectory } from './support/cleanup.mjs'
import { startModels } from './support/models.mjs'
import { PACKAGE_NAMES, installPackage } from './support/packages.mjs'
import { ROOT, Stage, requireBuild } from './support/stage.mjs'
import { within } from './support/waiting.mjs'

/** What one scenario, and all of them may take at the most, in milliseconds. */
const SCENARIO_MS = 240_000
const RUN_MS = 3_000_000

/** In the order a person would ask for them. */
const ORDER = [
  'claude-code',
  'codex',
  'gemini',
  'copilot',
  'opencode',
  'truth',
  'aborted',
  'again',
  'told',
  'people',
  'daemon',
  'successor',
  'removed',
  'published',
  'mcp',
  'not-run',
]

const CAPTURING = ['claude-code', 'codex', 'gemini', 'copilot', 'opencode']

async function loadScenarios(isMeasuring) {
  if (isMeasuring) return (await import('./figures.mjs')).scenarios
  const directory = new URL('./scenarios/', import.meta.url)
  const names = readdirSync(directory).map((file) => file.replace(/\.mjs$/, ''))
  const sorted = names.toSorted((a, b) => ORDER.indexOf(a) - ORDER.indexOf(b))
  const modules = await Promise.all(sorted.map((name) => import(new URL(`${name}.mjs`, directory).href)))
  return modules.flatMap((module) => module.scenarios)
}

/** Installs what the scenarios need, all at once. @returns name → `{name, version, program | skipped}` */
async function installAll(names, folder) {
  const done = await Promise.all(names.map((name) => installPackage(name, folder)))
  for (const one of done) note(`${one.name} ${one.version}: ${one.skipped ?? 'installed'}`)
  return new Map(done.map((one) => [one.name, one]))
}

/** Runs one scenario. @returns `{verdict, reason?, data?}` */
async function runScenario(scenario, { models, installed, fixtures, hasTime }) {
  if (scenario.skipped !== undefined) return { verdict: 'skipped', reason: scenario.skipped }
  const missing = scenario.needs.map((name) => installed.get(name)).find((one) => one.skipped !== undefined)
  if (missing !== undefined) return { verdict: 'skipped', reason: missing.skipped }
  if (!hasTime()) return { verdict: 'failed', reason: `the run took more than ${RUN_MS} ms` }
  const programs = new Map([...installed.values()].map(({ name, program }) => [name, program]))
  const stages = []
  const context = {
    stage() {
      const stage = new Stage({ models, programs })
      stages.push(stage)
      return stage
    },
    model: (name) => models.model(name),
  }
  try {
    const data = await within(
      scenario.run(context),
      scenario.limitMs ?? SCENARIO_MS,
      'the scenario did not end',
    )
    return { verdict: 'passed', ...(data !== undefined && { data }) }
  } catch (error) {
    if (error instanceof Skipped) return { verdict: 'skipped', reason: error.message }
    return { verdict: 'failed', reason: error instanceof Error ? error.message : String(error) }
  } finally {
    for (const stage of stages) {
      fixtures?.take(stage, CAPTURING)
      stage.close()
    }
  }
}

function note(text) {
  process.stderr.write(`${text}\n`)
}

function report({ verdict, id, title, ms, reason, data }) {
  const told = data === undefined ? '' : ` ${JSON.stringify(data)}`
  const why = reason === undefined ? '' : `\n        ${reason.trim().replaceAll('\n', '\n        ')}`
  process.stdout.write(`${verdict.padEnd(7)} ${id} (${ms} ms): ${title}${told}${why}\n`)
}

async function runAll(scenarios, { folder, fixtures }) {
  const startedMs = performance.now()
  const desired = new Set(scenarios.flatMap(({ needs }) => needs))
  const names = PACKAGE_NAMES.filter((name) => desired.has(name))
  const installed = await installAll(names, folder)
  const models = await startModels()
  const hasTime = () => performance.now() - startedMs < RUN_MS
  const results = []
  for (const scenario of scenarios) {
    const beganMs = performance.now()
    const outcome = await runScenario(scenario, { models, installed, fixtures, hasTime })
    const { id, runtime, capability, title } = scenario
    const result = { id, runtime, capability, title, ...outcome, ms: Math.round(performance.now() - beganMs) }
    results.push(result)
    report(result)
  }
  models.close()
  return {
    packages: Object.fromEntries(
      [...installed.values()].map(({ name, version, skipped }) => [name, { version, skipped }]),
    ),
    results,
    refused_hosts: [...models.refused].toSorted((a, b) => a.localeCompare(b)),
    seconds: Math.round((performance.now() - startedMs) / 100) / 10,
  }
}

function count(results, verdict) {
  return results.filter((one) => one.verdict === verdict).length
}

async function main() {
  const { values } = parseArgs({
    options: {
      only: { type: 'string' },
      list: { type: 'boolean' },
      json: { type: 'string' },
      packages: { type: 'string' },
      captured: { type: 'string' },
      figures: { type: 'boolean', default: false },
    },
  })
  const all = await loadScenarios(values.figures)
  const chosen = values.only?.split(',')
  const scenarios = all.filter(({ id }) => chosen === undefined || chosen.some((one) => id.startsWith(one)))
  if (values.list === true) {
    for (const { id, title } of scenarios) process.stdout.write(`${id.padEnd(32)} ${title}\n`)
    return 0
  }
  if (scenarios.length === 0) throw new Error(`there is no scenario ${values.only}`)
  requireBuild()
  cleanUpAtExit()
  const folder =
    values.packages === undefined ? mkdtempSync(join(tmpdir(), 'agr-npm-')) : resolve(values.packages)
  if (values.packages === undefined) ownDirectory(folder)
  else mkdirSync(folder, { recursive: true })
  const fixtures = values.captured === undefined ? undefined : new Fixtures(resolve(values.captured))
  const { packages, ...rest } = await runAll(scenarios, { folder, fixtures })
  if (fixtures !== undefined) note(`${fixtures.write()} payloads written to ${values.captured}`)
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const summary = {
    agentd: version,
    node: process.version,
    platform: `${process.platform}-${process.arch}`,
    day: new Date().toISOString().slice(0, 10),
    packages,
    ...rest,
  }
  const { results, seconds, refused_hosts: refused } = summary
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(summary, null, 2)}\n`)
  const failed = count(results, 'failed')
  process.stdout.write(
    `\n${count(results, 'passed')} passed, ${failed} failed, ${count(results, 'skipped')} skipped in ${seconds} s; ` +
      `refused: ${refused.join(', ') || 'nobody'}\n${JSON.stringify(summary)}\n`,
  )
  return failed === 0 ? 0 : 1
}

try {
  process.exitCode = await main()
} catch (error) {
  process.stderr.write(`e2e:runtimes: ${error.message}\n`)
  process.exitCode = 2
} finally {
  cleanUp()
}
process.exit()
