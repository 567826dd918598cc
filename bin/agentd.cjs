#!/usr/bin/env node
/**
 * The command `agentd`. CommonJS, since one `require` starts sooner than an ESM graph.
 */
'use strict'

const EX_SOFTWARE = 70
const EX_TEMPFAIL = 75

/** What the system says to who may not open another file (HD-17). */
const NO_DESCRIPTOR = new Set(['EMFILE', 'ENFILE'])

const [word, ...words] = process.argv.slice(2)
const asksForHelp = words.includes('--help') || words.includes('-h')
const isHook = word === 'hook' && !asksForHelp
const isGitHook = word === 'git-hook' && !asksForHelp
/** Any other word is for the full command to understand. */
const hasMemoVerbs = words.length === 2 && words[0] === '--verbs' && words[1] === 'memo'
const isMcp = word === 'mcp' && (words.length === 0 || hasMemoVerbs)

/** As above. */
const isTop = word === 'top' && words.every((one) => one === '--no-color')

/** The short ways, bundled apart: none pays for another. */
const SHORT_WAYS = {
  hook: '../dist/cli/fast/hook-fast.cjs',
  git: '../dist/runtimes/git/short-way.cjs',
  mcp: '../dist/cli/fast/mcp-fast.cjs',
  top: '../dist/cli/fast/top-fast.cjs',
  command: '../dist/cli/fast/fast.cjs',
}

/** Finds one of the short ways; undefined in a checkout that has not been built. */
function findShortWay() {
  try {
    return require(
      SHORT_WAYS[isHook ? 'hook' : isGitHook ? 'git' : isMcp ? 'mcp' : isTop ? 'top' : 'command'],
    )
  } catch (error) {
    if (error.code === 'MODULE_NOT_FOUND') return undefined
    throw error
  }
}

const shortWay = findShortWay()
if (shortWay === undefined) {
  // A hook must not be in the way, whatever it is itself: it ends with 0, and without a word.
  if (!isHook && !isGitHook) {
    process.stderr.write('agentd: this checkout is not built yet; run "npm ci && npm run build" in it.\n')
    process.exitCode = EX_SOFTWARE
  }
} else if (isHook) {
  void shortWay.runHook({ argv: words, daemon: `${__dirname}/../dist/daemon/main.js` })
} else if (isGitHook) {
  void shortWay.runGitHook(words)
} else if (isMcp) {
  const offline = {
    load: () => import('../dist/mcp/serve.js'),
    version: () => require('../package.json').version,
  }
  // Why it may not even begin is for the full command to say.
  void shortWay
    .runMcp({ mayStart: true, verbs: hasMemoVerbs ? 'memo' : undefined, launcher: __filename, offline })
    .catch(async () => (await import('../dist/cli/main.js')).main([word, ...words]))
} else if (isTop) {
  const reserve = {
    seat: () => import('../dist/cli/seat/run-top.js'),
    main: () => import('../dist/cli/main.js'),
  }
  void shortWay.runTop(words, reserve)
} else {
  const reserve = {
    main: () => import('../dist/cli/main.js'),
    report: () => import('../dist/cli/run/report.js'),
  }
  shortWay.runFast(process.argv.slice(2), reserve).catch((error) => {
    if (NO_DESCRIPTOR.has(error.code)) {
      process.stderr.write('agentd: Too many files are open, or too few allowed; raise "ulimit -n".\n')
      process.exitCode = EX_TEMPFAIL
      return
    }
    process.stderr.write(`agentd: This is a defect of agentd; please report it: ${error.stack}\n`)
    process.exitCode = EX_SOFTWARE
  })
}
