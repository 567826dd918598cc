/**
 * Five agents at work on one repository, with a daemon of their own: what the person's page is drawn and watched with.
 *
 * They say what agents say, through the library: what they edit, what they have done, what they need from one another and
 * from the person. Nothing of it is drawn by hand.
 */
import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { once } from 'node:events'
import { approveBy, connect } from '../../dist/client/index.js'

const ROOT = resolve(import.meta.dirname, '..', '..')

/** Folder → branch: two agents share the first. */
const WORKTREES = { shop: 'main', 'shop-flaky': 'fix/flaky', 'shop-docs': 'docs' }

const AGENTS = {
  refactor: {
    instrument: 'cc-opus',
    tool: 'cc',
    title: 'API refactor',
    folder: 'shop',
    entities: ['agent.refactor'],
  },
  mobile: { instrument: 'cc-opus', tool: 'cc', title: 'mobile', folder: 'shop' },
  flaky: { instrument: 'codex', tool: 'codex', title: 'flaky tests', folder: 'shop-flaky' },
  docs: { instrument: 'cursor', tool: 'cursor', title: 'docs', folder: 'shop-docs' },
  audit: {
    instrument: 'gemini',
    tool: 'other',
    title: 'audit',
    folder: 'shop',
    entities: ['agent.auditor'],
  },
}

export class Morning {
  #home = mkdtempSync(join(tmpdir(), 'agentd-morning-'))
  #env = { PATH: process.env['PATH'], HOME: this.#home, LANG: 'C.UTF-8', AGENTD_PRINCIPAL: '~alice' }
  #seat
  /** Name → session of the library. */
  agents = {}

  /** Starts daemon, page and agents. @returns the link that opens the page */
  async begin() {
    this.agentd('start')
    this.client = await connect({ socket: this.agentd('status', '--quiet').trim() })
    const repository = join(this.#home, 'shop', '.git')
    for (const [name, { folder, ...options }] of Object.entries(AGENTS)) {
      const worktree = join(this.#home, folder)
      mkdirSync(worktree, { recursive: true })
      const place = { cwd: worktree, worktree, repository, branch: WORKTREES[folder], mailbox: true }
      this.agents[name] = await this.client.session({ ...options, ...place })
    }
    return this.#openSeat()
  }

  /** A command of agentd. @returns what it prints */
  agentd(...args) {
    return execFileSync(join(ROOT, 'bin', 'agentd'), args, {
      cwd: this.#home,
      env: this.#env,
      encoding: 'utf8',
    })
  }

  /** Two collisions, a prompt, and three things that need the person. */
  async play() {
    const { refactor, mobile, flaky, docs, audit } = this.agents
    await Promise.all([refactor, mobile, docs].map((agent) => agent.setActivity({ state: 'working' })))
    await audit.setActivity({ state: 'idle' })
    await refactor.advise('rewriting the token refresh', { fileRefs: ['src/auth.ts'] })
    await mobile.advise('editing src/auth.ts', { fileRefs: ['src/auth.ts'] })
    await docs.advise('editing README.md', { fileRefs: ['README.md'] })
    await refactor.advise('editing README.md', { fileRefs: ['README.md'] })
    await flaky.setActivity({ state: 'waiting', reason: 'permission', text: 'run "npm test"' })
    await this.decide()
    this.ask(flaky, 'May I force-push fix/flaky after the rebase?')
    await this.approve()
  }

  /** One asks the person to decide. */
  decide() {
    const payload = {
      synopsis: 'The migration drops a column that mobile still reads',
      findings: ['users.legacy_name is read by mobile 4.2'],
      recommendations: ['Wait one release'],
      offer: 'I can keep it as a view.',
      question: {
        stem: 'What shall I do with it?',
        options: [
          { label: 'Keep it one release', reasoning: 'safe' },
          { label: 'Drop it now', reasoning: 'quick' },
          { label: 'Make it a view', reasoning: 'both, for a while' },
        ],
        recommended_idx: 0,
      },
    }
    return this.agents.refactor.send({ kind: 'agent_binding_moment', payload, to: '~alice/human*' })
  }

  /** One asks the person, and waits. @returns what it is answered */
  ask(agent, text, timeoutMs = 300_000) {
    const asked = agent.ask(text, { to: '~alice/human*', timeoutMs })
    // The daemon is stopped under it.
    asked.catch(() => {})
    return asked
  }

  /** One is given a task that it may not do without the person. */
  async approve() {
    const { audit, refactor } = this.agents
    const approve = approveBy(audit, { person: 'human.alice', summarise: () => 'Deploy shop 4.2 to staging' })
    this.service ??= audit.serve('agent.auditor', { 'ops.deploy': () => ({ done: true }) }, { approve })
    await this.service.opened
    const task = { to: 'agent.auditor', intent: 'ops.deploy', payload: { version: '4.2' } }
    const from = { from: 'agent.refactor', requires: { human_approval: true, timeout_ms: 600_000 } }
    const request = refactor.request({ ...task, ...from }, { timeoutMs: 600_000 })
    request.terminal.catch(() => {})
    return request
  }

  async end() {
    this.#seat?.kill()
    if (this.#seat?.exitCode === null) await once(this.#seat, 'exit')
    await this.client?.close()
    this.agentd('stop')
    rmSync(this.#home, { recursive: true, force: true })
  }

  async #openSeat() {
    this.#seat = spawn(join(ROOT, 'bin', 'agentd'), ['ui', '--foreground', '--no-open', '--json'], {
      cwd: this.#home,
      env: this.#env,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [said] = await once(this.#seat.stdout.setEncoding('utf8'), 'data')
    return JSON.parse(said).url
  }
}
