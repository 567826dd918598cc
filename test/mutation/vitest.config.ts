/**
 * Vitest for one mutant: the source it is in is changed while it is loaded, and the first test that notices ends it.
 */
import { resolve } from 'node:path'
import { defineConfig, mergeConfig, type Plugin } from 'vitest/config'
import type { Mutant } from './support/mutants.mjs'
import base from '../vitest.config.ts'

function readMutant(): Mutant | undefined {
  const json = process.env['AGENTD_MUTANT'] ?? ''
  return json === '' ? undefined : JSON.parse(json)
}

function mutate(): Plugin {
  const mutant = readMutant()
  const path = mutant === undefined ? undefined : resolve(mutant.file)
  return {
    name: 'agentd-mutant',
    enforce: 'pre',
    transform(code, id) {
      if (mutant === undefined || id.split('?')[0] !== path) return undefined
      return `${code.slice(0, mutant.start)}${mutant.text}${code.slice(mutant.end)}`
    },
  }
}

export default mergeConfig(
  base,
  defineConfig({
    plugins: [mutate()],
    test: { bail: 1, isolate: false, maxWorkers: 1, pool: 'forks' },
  }),
)
