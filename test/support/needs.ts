/**
 * What a test needs beyond Node, for `test.runIf`: a program, a system, a user. Nobody's machine has to have all of it;
 * what runs under CI has to have everything that can be installed, or a promise would be untested and nobody would know.
 */
import { spawnSync } from 'node:child_process'
import { chromiumPath } from './chromium-path.mjs'

/** What decides about a test. */
export interface Circumstances {
  readonly isThere: boolean
  /** Whether it could be installed here. */
  readonly isInstallable: boolean
  readonly isCi: boolean
}

/** Runs it, leaves it out, or fails for want of it. */
export function verdictOf({ isThere, isInstallable, isCi }: Circumstances): 'run' | 'skip' | 'fail' {
  if (isThere) return 'run'
  return isInstallable && isCi ? 'fail' : 'skip'
}

/** What a program says of itself when it is the one that is meant, and whether Linux alone has it. */
interface Said {
  /** `--version` unless it says otherwise. */
  readonly asked?: string
  readonly says: string
  readonly isOfLinux: boolean
}

const PROGRAMS = {
  fish: { says: 'fish', isOfLinux: false },
  groff: { says: 'GNU groff', isOfLinux: false },
  curl: { says: 'curl', isOfLinux: false },
  git: { says: 'git', isOfLinux: false },
  jq: { says: 'jq', isOfLinux: false },
  openssl: { asked: 'version', says: 'SSL', isOfLinux: false },
  'nats-server': { says: 'nats-server', isOfLinux: false },
  prlimit: { says: 'util-linux', isOfLinux: true },
  python3: { says: 'Python 3', isOfLinux: false },
  // The one of BSD takes other options.
  script: { says: 'util-linux', isOfLinux: true },
  strace: { says: 'strace', isOfLinux: true },
  'systemd-analyze': { says: 'systemd', isOfLinux: true },
  'systemd-socket-activate': { says: 'systemd', isOfLinux: true },
  tmux: { asked: '-V', says: 'tmux', isOfLinux: false },
  zsh: { says: 'zsh', isOfLinux: false },
} satisfies Record<string, Said>

type Program = keyof typeof PROGRAMS

/** Whether the program is installed. @throws Error under CI where it is not, and could be */
export function hasProgram(program: Program): boolean {
  const { asked = '--version', says, isOfLinux }: Said = PROGRAMS[program]
  const { error, stdout } = spawnSync(program, [asked], { encoding: 'utf8' })
  const isThere = error === undefined && stdout.includes(says)
  const isInstallable = !isOfLinux || process.platform === 'linux'
  const verdict = verdictOf({ isThere, isInstallable, isCi: Boolean(process.env['CI']) })
  if (verdict === 'fail') throw new Error(`${program} is not installed, and under CI nothing is left out.`)
  if (verdict === 'skip') tellSkip(`they need ${program}`)
  return isThere
}

/**
 * Where a Chromium is: what `CHROMIUM` names, or one on the path.
 *
 * @throws Error under CI, or where `AGENTD_BROWSER` is `required`, when there is none and could be
 */
export function findChromium(): string | undefined {
  const found = chromiumPath()
  const isCi = Boolean(process.env['CI']) || process.env['AGENTD_BROWSER'] === 'required'
  const isInstallable = process.platform === 'linux'
  const verdict = verdictOf({ isThere: found !== undefined, isInstallable, isCi })
  if (verdict === 'fail') throw new Error('No Chromium is installed, and under CI nothing is left out.')
  if (verdict === 'skip') tellSkip('they need a Chromium')
  return found
}

/** For what no installation could change. @param why - the tests are left out where it is not so */
export function isSo(what: boolean, why: string): boolean {
  if (!what) tellSkip(why)
  return what
}

/** @param what - of Linux the test looks at */
export function runsOnLinux(what: string): boolean {
  return isSo(process.platform === 'linux', `they look at ${what} of Linux`)
}

/** Only root can give files away and become somebody else. */
export function runsAsRoot(): boolean {
  return isSo(process.getuid?.() === 0, 'only root can be somebody else, or give a file away')
}

/** What has been told; the processes that this one starts for its tests need not say it again. */
const TOLD = 'TESTS_LEFT_OUT'

function tellSkip(why: string): void {
  const told = (process.env[TOLD] ?? '').split('\n')
  if (told.includes(why)) return
  process.stderr.write(`Some tests are left out here: ${why}.\n`)
  process.env[TOLD] = [...told, why].join('\n')
}
