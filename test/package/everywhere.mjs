/**
 * The tarball as people have it: installed for everybody, tried with npx, updated while it runs, and taken away again. A
 * prefix and a home of its own, both with a blank in their name, no install scripts, no optional packages.
 */
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  realpathSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'

const QUIETLY = ['--ignore-scripts', '--omit=optional', '--no-audit', '--no-fund', '--no-update-notifier']
const COMMAND_MS = 300_000

/** @param work - a folder that whoever calls removes @param tarball - what npm has packed */
export function checkEverywhere(work, tarball) {
  const place = join(work, 'all of us')
  const [prefix, home, bus] = [join(place, 'pre fix'), join(place, 'ho me'), join(place, 'bus')]
  for (const folder of [place, prefix, home]) mkdirSync(folder, { mode: 0o755 })
  for (const folder of [home, bus, join(home, '.claude'), join(home, '.codex')]) {
    mkdirSync(folder, { recursive: true })
    chmodSync(folder, 0o700)
  }
  const bin = join(prefix, 'bin')
  const env = {
    PATH: `${bin}:${process.env.PATH}`,
    HOME: home,
    // npm's own, so that what agentd leaves in the home can be told.
    npm_config_cache: process.env.npm_config_cache ?? join(process.env.HOME ?? place, '.npm'),
    // Its lock stays beside it, so not in the home, of which is told what is left.
    AGENTD_SOCKET: join(bus, 'a.sock'),
  }
  const here = { work: place, prefix, home, bin, env, tarball }
  tryWithNpx(here)
  installAndUpdate(here)
  afterNodeHasMoved(here)
  asAnotherUser(here)
  leave(here)
}

function run(command, args, here) {
  return execFileSync(command, args, optionsFor(command, here))
}

/** As `run`, whatever it ends with. */
function attempt(command, args, here) {
  const { status, stdout, stderr } = spawnSync(command, args, optionsFor(command, here))
  return { status, stdout, stderr }
}

/** npm alone sees the variables around it, such as where its registry is; agentd sees none of them. */
function optionsFor(command, { work, env }) {
  const isNpm = command === 'npm' || command === 'npx'
  return { cwd: work, env: isNpm ? { ...process.env, ...env } : env, encoding: 'utf8', timeout: COMMAND_MS }
}

const npmInstall = (here, ...words) =>
  run('npm', ['install', '--global', '--prefix', here.prefix, ...QUIETLY, ...words], here)

/** `npx agentd-bus setup`: shows what would change, changes nothing, and says what its own place is worth. */
function tryWithNpx(here) {
  const npx = ['--yes', '--ignore-scripts', `file:${here.tarball}`]
  const shown = attempt('npx', [...npx, 'setup', '--dry-run'], here)
  assert.equal(shown.status, 0, shown.stderr)
  assert.match(shown.stdout, /\.claude\/settings\.json/)
  assert.match(shown.stdout, /\.codex\/config\.toml/)
  assert.match(shown.stderr, /in the cache of npx.*npm install --global agentd-bus/)
  assert.deepEqual(readdirSync(join(here.home, '.claude')), [])
  assert.deepEqual(
    readdirSync(here.home).toSorted(),
    ['.claude', '.codex'],
    'a dry run leaves nothing in the home',
  )
  assert.match(run('npx', [...npx, '--version'], here), /^\d+\.\d+\.\d+\n$/)
}

/** The daemon of what was there before goes on, says what it is, and is the new one after a restart. */
function installAndUpdate(here) {
  npmInstall(here, older(here))
  const agentd = join(here.bin, 'agentd')
  assert.equal(run(agentd, ['--version'], here), '0.0.9\n')
  run(agentd, ['advise', 'before the update'], here)
  run(agentd, ['setup', '--yes', 'claude-code'], here)
  const before = JSON.parse(run(agentd, ['status', '--json'], here))

  npmInstall(here, here.tarball)

  assert.match(run(agentd, ['advise', 'while the older one runs'], here), /^sent agent_advisory/)
  const during = JSON.parse(run(agentd, ['status', '--json'], here))
  assert.deepEqual([during.pid, during.version], [before.pid, '0.0.9'], 'the daemon was not disturbed')
  run(agentd, ['stop'], here)
  run(agentd, ['advise', 'after it'], here)
  const after = JSON.parse(run(agentd, ['status', '--json'], here))
  assert.notEqual(after.version, '0.0.9')
  // The lines hold for the new one.
  assert.match(run(agentd, ['setup', '--dry-run', 'claude-code'], here), /nothing to do/)
}

/** The same files, under the number of an earlier version. */
function older(here) {
  const folder = join(here.work, 'older')
  mkdirSync(folder)
  run('tar', ['-xzf', here.tarball, '-C', folder], here)
  const manifest = join(folder, 'package/package.json')
  const text = readFileSync(manifest, 'utf8')
  writeFileSync(manifest, text.replace(/"version": "[^"]+"/, '"version": "0.0.9"'))
  const [packed] = JSON.parse(
    run(
      'npm',
      ['pack', '--json', '--ignore-scripts', '--pack-destination', here.work, join(folder, 'package')],
      here,
    ),
  )
  return join(here.work, packed.filename)
}

/** Hooks name Node by its path: one that has gone is silent, `agentd doctor` says so, and a second set-up mends it. */
function afterNodeHasMoved(here) {
  const [old, gone] = [join(dirname(here.work), 'node-before'), join(dirname(here.work), 'node-gone')]
  mkdirSync(old)
  symlinkSync(process.execPath, join(old, 'node'))
  const settings = join(here.home, '.claude/settings.json')
  const lines = readFileSync(settings, 'utf8').replaceAll(process.execPath, join(old, 'node'))
  assert.ok(lines.includes('node-before'), 'the lines name Node by its path')
  writeFileSync(settings, lines)
  renameSync(old, gone)

  const agentd = join(here.bin, 'agentd')
  const { hooks } = JSON.parse(readFileSync(settings, 'utf8'))
  const silent = attempt('sh', ['-c', hooks.SessionStart[0].hooks[0].command], here)
  assert.deepEqual(silent, { status: 0, stdout: '', stderr: '' })
  const told = attempt(agentd, ['doctor', 'claude-code'], here)
  assert.match(told.stdout, /node-before/, `agentd doctor names what is gone: ${told.stdout}`)
  run(agentd, ['setup', '--yes', 'claude-code'], here)
  assert.ok(!readFileSync(settings, 'utf8').includes('node-before'), 'set-up mends it')
}

/** Installed by one user for all: whoever may not write there runs it all the same. Only root can try. */
function asAnotherUser(here) {
  if (process.getuid?.() !== 0) return
  const NOBODY = 65_534
  // Whoever is nobody has to get as far as there.
  for (let folder = here.prefix; folder !== '/' && folder !== '/tmp'; folder = dirname(folder))
    chmodSync(folder, statSync(folder).mode | 0o055)
  const home = join(here.work, 'home of nobody')
  mkdirSync(home, { mode: 0o700 })
  execFileSync('chown', [`${NOBODY}:${NOBODY}`, home])
  const env = { ...here.env, HOME: home, AGENTD_SOCKET: join(home, 'a.sock') }
  const options = { cwd: home, env, uid: NOBODY, gid: NOBODY, encoding: 'utf8', timeout: COMMAND_MS }
  const agentd = join(here.bin, 'agentd')
  assert.match(execFileSync(agentd, ['advise', 'from somebody else'], options), /^sent agent_advisory/)
  assert.match(execFileSync(agentd, ['stop'], options), /stopped/)
}

/** What is left is what `agentd uninstall` says, and the commands that it names take that away as well. */
function leave(here) {
  const agentd = join(here.bin, 'agentd')
  const said = run(agentd, ['uninstall', '--yes'], here)
  const line = said.match(/npm uninstall --global .*/)?.[0] ?? ''
  assert.ok(line.includes(`--prefix '${realpathSync(here.prefix)}'`), line)
  assert.ok(
    !/agentd/.test(
      readdirSync(join(here.home, '.claude'))
        .map((name) => readFileSync(join(here.home, '.claude', name), 'utf8'))
        .join(''),
    ),
  )
  // As a person would who copies it, and has another prefix configured.
  execFileSync('sh', ['-c', line], optionsFor('npm', here))
  assert.ok(!existsSync(agentd))
  assert.deepEqual(
    readdirSync(join(here.prefix, 'lib/node_modules')).filter((name) => !name.startsWith('.')),
    [],
  )
  for (const word of ['.local/state/agentd', '.config/agentd', '.agentd'])
    run('rm', ['-rf', join(here.home, word)], here)
  const left = run('find', [here.home, '-type', 'f'], here)
  assert.equal(left, '', `nothing of agentd is left in ${realpathSync(here.home)}`)
}
