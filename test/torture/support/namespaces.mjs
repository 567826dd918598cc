/**
 * Networks of a run's own. The program runs itself again in one that has nothing but loopback, with the hub; each machine gets
 * another, and a pair of devices between the two. All of it goes with the processes in it, however they end.
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { ownProcess } from './cleanup.mjs'
import { hasCommand } from './temp-dir.mjs'

/** Set for the program that is in a network of its own. */
const VARIABLE = 'AGENTD_TORTURE_NAMESPACES'

/** Both ends of each pair are in a net of four addresses below this one. */
const NET = '10.231'

/** Whether this process is in a network of its own, where it may make others. */
export const isApart = process.env[VARIABLE] === '1'

/** Why there can be none here; undefined where there can. */
export function whyNotApart() {
  if (process.getuid?.() !== 0) return 'networks of its own take root'
  for (const program of ['unshare', 'nsenter', 'ip', 'ss', 'tc'])
    if (!hasCommand(program)) return `networks of its own take ${program}, which is not installed`
  return undefined
}

/** Runs this very program again, apart. @returns its exit code */
export async function runApart() {
  const child = spawn('unshare', ['--net', '--', process.execPath, ...process.argv.slice(1)], {
    stdio: 'inherit',
    env: { ...process.env, [VARIABLE]: '1' },
  })
  // A key that was pressed reaches both by itself.
  process.once('SIGTERM', () => child.kill('SIGTERM'))
  process.on('SIGINT', () => {})
  const [code] = await once(child, 'exit')
  return code ?? 1
}

/** Loopback is down in a network that has just been made. */
export function prepareApart() {
  ip('link', 'set', 'lo', 'up')
}

let made = 0

/** The network of one machine. */
export class Namespace {
  /** Where a machine in it finds the hub. */
  host
  /** In front of a program that is to run in it. */
  command
  #device
  #holder

  static async open() {
    made += 1
    const one = new Namespace()
    one.#device = `machine-${made}`
    // It ends with the pipe, and with it the network once nobody else is in it.
    one.#holder = spawn('unshare', ['--net', '--', 'cat'], { stdio: ['pipe', 'pipe', 'inherit'] })
    ownProcess(one.#holder)
    one.#holder.stdin.write('there\n')
    await once(one.#holder.stdout, 'data')
    one.command = ['nsenter', `--net=/proc/${one.#holder.pid}/ns/net`, '--']
    one.#connect(`${NET}.${made}`)
    return one
  }

  /** The wire is pulled out, or put back: nothing passes, and nobody is told. */
  carry(isUp) {
    ip('link', 'set', this.#device, isUp ? 'up' : 'down')
  }

  /** @param octets - per second, each way; undefined: as fast as it goes */
  limit(octets) {
    for (const [command, device] of this.#ends()) {
      if (octets === undefined) run([...command, 'tc', 'qdisc', 'del', 'dev', device, 'root'])
      else {
        const bound = ['rate', `${octets * 8}bit`, 'burst', '4kb', 'limit', '64kb']
        run([...command, 'tc', 'qdisc', 'replace', 'dev', device, 'root', 'tbf', ...bound])
      }
    }
  }

  /** Of so many packets one is lost, both ways; this kernel's netem is not needed for it. */
  loseOneOf(packets) {
    for (const [command, device] of this.#ends()) {
      const nft = (...words) => run([...command, 'nft', ...words])
      nft('add', 'table', 'inet', device)
      nft('add', 'chain', 'inet', device, 'in', '{ type filter hook input priority 0; }')
      nft(
        'add',
        'rule',
        'inet',
        device,
        'in',
        'iifname',
        device,
        `numgen random mod ${packets} == 0 counter drop`,
      )
    }
  }

  /** @returns how many packets were lost so far */
  stopLosing() {
    let lost = 0
    for (const [command, device] of this.#ends()) {
      const said = execFileSync(...split([...command, 'nft', 'list', 'table', 'inet', device]), {
        encoding: 'utf8',
      })
      lost += Number(/counter packets (\d+)/.exec(said)?.[1] ?? 0)
      run([...command, 'nft', 'delete', 'table', 'inet', device])
    }
    return lost
  }

  /** Octets that came from the machine and went to it. */
  get octets() {
    const line = readFileSync('/proc/self/net/dev', 'utf8').split(`${this.#device}:`)[1]
    const [from, , , , , , , , to] = line.trim().split(/\s+/, 9).map(Number)
    return { from, to }
  }

  /** Connections of TCP that are there in it. */
  get connections() {
    const said = execFileSync(...split([...this.command, 'ss', '-tnH', 'state', 'established']), {
      encoding: 'utf8',
    })
    return said.split('\n').filter(Boolean).length
  }

  /** Breaks every connection in it. */
  breakConnections() {
    run([...this.command, 'ss', '-K', 'state', 'established'])
  }

  close() {
    ip('link', 'del', this.#device)
    this.#holder.stdin.end()
  }

  #ends() {
    return [
      [[], this.#device],
      [this.command, 'eth0'],
    ]
  }

  #connect(net) {
    const device = this.#device
    ip('link', 'add', device, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', String(this.#holder.pid))
    this.host = `${net}.1`
    ip('addr', 'add', `${this.host}/30`, 'dev', device)
    ip('link', 'set', device, 'up')
    const inside = (...words) => run([...this.command, 'ip', ...words])
    inside('addr', 'add', `${net}.2/30`, 'dev', 'eth0')
    inside('link', 'set', 'eth0', 'up')
    inside('link', 'set', 'lo', 'up')
  }
}

/** Whether packets can be lost on purpose. */
export function canLose() {
  return isApart && hasCommand('nft')
}

function ip(...words) {
  run(['ip', ...words])
}

function run(words) {
  execFileSync(...split(words), { stdio: ['ignore', 'ignore', 'pipe'] })
}

function split([program, ...args]) {
  return [program, args]
}
