/**
 * Mutation: changes the sources in small ways, one at a time, and prints which changes no test notices.
 *
 *   npm run mutate -- --sample 100 --seed 1
 *   npm run mutate -- --file src/broker/session --file src/broker/submit/dedup.ts
 *
 * `--file` names a file or a folder of `src` (repeated for more; all of `src/broker` without it), `--sample` takes so
 * many of the mutants at random, `--seed` makes that chance repeatable, `--list` only says what there is,
 * `--min-score` is the percentage below which the run ends with code 1, and `--state` is where results are kept: a run
 * that was cut off goes on where it was, and a file that was changed is tried anew. `--again` tries survivors once more:
 * for after a test was written.
 *
 * Nothing is written into `src`. It takes a few seconds for each mutant, and is not part of `npm test`.
 */
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { parseArgs } from 'node:util'
import { createRandom } from '../torture/support/random.mjs'
import { filesOf, mutantsOf } from './support/mutants.mjs'
import { runTests, tryMutant } from './support/trial.mjs'

/** What a mutant may take at the most, as a multiple of the tests without one, and besides. */
const PATIENCE = 3
const GRACE_MS = 15_000

/** The tests that import a layer. Those that start a process run what was built, and no mutant is in that. */
const TESTS = {
  broker: [
    'test/broker',
    'test/contract',
    'test/store/ledger.test.ts',
    'test/store/ring/recent-frames.test.ts',
  ],
  store: ['test/store', 'test/contract'],
}

const { values } = parseArgs({
  options: {
    file: { type: 'string', multiple: true, default: ['src/broker'] },
    sample: { type: 'string' },
    seed: { type: 'string', default: '1' },
    'min-score': { type: 'string', default: '0' },
    state: { type: 'string', default: 'coverage/mutation.ndjson' },
    again: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
  },
})

/** The tests that mirror a file, and after them all of those of its layer. */
function stagesOf(file) {
  const beside = dirname(file).replace(/^src/, 'test')
  const tests = TESTS[file.split('/')[1]]
  if (tests === undefined)
    throw new Error(`no tests are named for ${file}; there are some for ${Object.keys(TESTS).join(', ')}`)
  return existsSync(beside) && !tests.includes(beside) ? [[beside], tests] : [tests]
}

/** So many at random, in the order of the files. */
function sampleOf(mutants, count, seed) {
  const random = createRandom(seed)
  const drawn = mutants.map((mutant, place) => ({ mutant, place, lot: random() }))
  const taken = drawn.toSorted((a, b) => a.lot - b.lot).slice(0, count)
  return taken.toSorted((a, b) => a.place - b.place).map(({ mutant }) => mutant)
}

/** Results of earlier runs, by mutant. */
function readResults(path) {
  if (!existsSync(path)) return new Map()
  const lines = readFileSync(path, 'utf8').split('\n')
  // The last line of a run that was cut off may be half of one.
  const whole = lines.slice(0, -1).map((line) => JSON.parse(line))
  return new Map(whole.map(({ id, result }) => [id, result]))
}

function describe({ file, line, what, was }) {
  return `${file}:${line}: ${what}: ${was}`
}

async function tryAll(mutants) {
  const results = readResults(values.state)
  mkdirSync(dirname(values.state), { recursive: true })
  const startedMs = performance.now()
  const stages = new Map()
  for (const { file } of mutants) stages.set(file, stagesOf(file))
  const all = [...new Set([...stages.values()].flat(2))]
  if ((await runTests(all, { timeoutMs: 600_000 })) !== 0) throw new Error('the tests fail without a mutant')
  const timeoutMs = PATIENCE * (performance.now() - startedMs) + GRACE_MS
  for (const [i, mutant] of mutants.entries()) {
    const before = results.get(mutant.id)
    if (before !== undefined && !(values.again && before === 'survived')) continue
    const result = await tryMutant(mutant, stages.get(mutant.file), timeoutMs)
    results.set(mutant.id, result)
    appendFileSync(values.state, `${JSON.stringify({ id: mutant.id, result })}\n`)
    process.stderr.write(`${i + 1}/${mutants.length} ${result} ${describe(mutant)}\n`)
  }
  return results
}

const found = values.file.flatMap(filesOf).flatMap(mutantsOf)
const mutants =
  values.sample === undefined ? found : sampleOf(found, Number(values.sample), Number(values.seed))
if (values.list) {
  process.stdout.write(`${mutants.map(describe).join('\n')}\n`)
} else {
  const results = await tryAll(mutants)
  const survivors = mutants.filter(({ id }) => results.get(id) === 'survived')
  const score = (100 * (mutants.length - survivors.length)) / Math.max(1, mutants.length)
  for (const mutant of survivors) process.stdout.write(`survived ${describe(mutant)}\n`)
  process.stdout.write(
    `${mutants.length} of ${found.length} mutants, seed ${values.seed}: ${survivors.length} survived, score ${score.toFixed(1)} %\n`,
  )
  process.exitCode = score < Number(values['min-score']) ? 1 : 0
}
