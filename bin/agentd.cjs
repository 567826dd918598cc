#!/usr/bin/env node
/**
 * The command `agentd`. CommonJS, since one `require` starts sooner than an ESM graph.
 */
'use strict'

const EX_SOFTWARE = 70
const EX_TEMPFAIL = 75

/** What Node and the system say of a file that is not there. */
const NOT_THERE = new Set(['MODULE_NOT_FOUND', 'ERR_MODULE_NOT_FOUND', 'ENOENT'])

const BEING_BUILT =
  'agentd is being built or updated; try again in a moment. If it stays so, install it again.'

/** What the system says to who may not open another file (HD-17). */
const NO_DESCRIPTOR = new Set(['EMFILE', 'ENFILE'])

/** Of the package. */
const root = __dirname.replace(/[/\\]bin$/, '')

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
    if (NOT_THERE.has(error.code)) return undefined
    throw error
  }
}

/** Whether a build is under way: its folder stands beside where it will be (`build.mjs`). */
function isBeingBuilt() {
  return require('node:fs')
    .readdirSync(root)
    .some((name) => {
      const pid = /^dist\.(\d+)$/.exec(name)?.[1]
      try {
        return pid !== undefined && process.kill(Number(pid), 0)
      } catch {
        return false
      }
    })
}

/** Whether a file of ours was not there when it was wanted: a build or an update takes the place of what was here. */
function isReplaced({ code, message }) {
  return NOT_THERE.has(code) && message.includes(`'${root}/dist/`)
}

/** Ends with a sentence, or with an object for a program: as `cli/run/report.ts`, which cannot be loaded here. */
function fail(code, says) {
  const end = words.indexOf('--')
  const isForProgram = [word, ...(end === -1 ? words : words.slice(0, end))].includes('--json')
  const trouble = { code: code === EX_TEMPFAIL ? 'updated' : 'defect', message: says, exit_code: code }
  process.stderr.write(`${isForProgram ? JSON.stringify(trouble) : says}\n`)
  process.exitCode = code
}

/** Says why not even the full command could be loaded. */
function tell(error) {
  if (NO_DESCRIPTOR.has(error.code))
    return fail(EX_TEMPFAIL, 'agentd: Too many files are open, or too few allowed; raise "ulimit -n".')
  if (isReplaced(error)) return fail(EX_TEMPFAIL, BEING_BUILT)
  return fail(EX_SOFTWARE, `agentd: This is a defect of agentd; please report it: ${error.stack}`)
}

/** That alone needs nothing that was built. */
const isVersion = words.length === 0 && ['version', '-v', '-V', '--version'].includes(word)

const shortWay = isVersion ? undefined : findShortWay()
if (isVersion) {
  process.stdout.write(`${require('../package.json').version}\n`)
} else if (shortWay === undefined) {
  // A hook must not be in the way, whatever it is itself: it ends with 0, and without a word.
  if (!isHook && !isGitHook) {
    if (isBeingBuilt()) fail(EX_TEMPFAIL, BEING_BUILT)
    else fail(EX_SOFTWARE, 'agentd: this checkout is not built yet; run "npm ci && npm run build" in it.')
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
    .catch(tell)
} else if (isTop) {
  const reserve = {
    seat: () => import('../dist/cli/seat/run-top.js'),
    main: () => import('../dist/cli/main.js'),
  }
  shortWay.runTop(words, reserve).catch(tell)
} else {
  const reserve = {
    main: () => import('../dist/cli/main.js'),
    report: () => import('../dist/cli/run/report.js'),
  }
  shortWay.runFast(process.argv.slice(2), reserve).catch(tell)
}
