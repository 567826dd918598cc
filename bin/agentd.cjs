#!/usr/bin/env node
/**
 * The command `agentd`. CommonJS, since one `require` starts sooner than an ESM graph.
 */
'use strict'

const EX_SOFTWARE = 70

/** Finds the hook path; undefined in a checkout that has not been built. */
function findFast() {
  try {
    return require('../dist/cli/fast.cjs')
  } catch (error) {
    if (error.code === 'MODULE_NOT_FOUND') return undefined
    throw error
  }
}

const fast = findFast()
if (fast === undefined) {
  process.stderr.write('agentd: this checkout is not built yet; run "npm ci && npm run build" in it.\n')
  process.exitCode = EX_SOFTWARE
} else {
  const reserve = {
    main: () => import('../dist/cli/main.js'),
    report: () => import('../dist/cli/report.js'),
  }
  fast.runFast(process.argv.slice(2), reserve).catch((error) => {
    process.stderr.write(`agentd: This is a defect of agentd; please report it: ${error.stack}\n`)
    process.exitCode = EX_SOFTWARE
  })
}
