/**
 * The kit as its users start it: the program of the build, and its report.
 */
import { spawn } from 'node:child_process'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..', '..')

/** The package that the build makes. */
export const PACKAGE = join(ROOT, 'dist', 'agentd-conformance')

/** agentd as a library, in the operations of the kit. */
export const LIBRARY = join(import.meta.dirname, 'agentd.mjs')

/** The second implementation, started as the kit starts it. */
export const PYTHON = `python3 ${join(ROOT, 'examples', 'python', 'conformance.py')}`

/** Where the vectors are written by hand. */
export const VECTORS = join(ROOT, 'conformance', 'vectors')

/** One vector in a report. */
interface Remark {
  readonly id: string
  readonly basis: string
  readonly level: string
  readonly remark: string
}

/** What the kit says with `--json`. */
export interface Report {
  readonly sections: readonly {
    readonly draft: string
    readonly text: { readonly pass: number; readonly fail: number }
    readonly local: { readonly pass: number; readonly fail: number }
    readonly open: number
    readonly unsupported: number
  }[]
  readonly failures: readonly Remark[]
  readonly open: readonly Remark[]
  readonly textFailures: number
}

/** How the program ended, and what it wrote. */
export interface Run {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Starts the kit and waits for its end. */
export function runKit(args: readonly string[], cwd = ROOT): Promise<Run> {
  const child = spawn(process.execPath, [join(PACKAGE, 'main.js'), ...args], { cwd })
  const said = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said.stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said.stderr += text))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, ...said }))
  })
}

/** As {@link runKit}, with the report read. @throws SyntaxError when there was none */
export async function reportOf(args: readonly string[]): Promise<{ code: number | null; report: Report }> {
  const { code, stdout, stderr } = await runKit([...args, '--json'])
  if (stdout === '') throw new Error(stderr)
  const report: Report = JSON.parse(stdout)
  return { code, report }
}

/** What the page says of a run: passed of asked, of what a text demands and of what agentd has chosen; open ones; not there. */
export function rowOf(who: string, { sections }: Pick<Report, 'sections'>): string {
  const sum = (count: (section: Report['sections'][number]) => number): number =>
    sections.reduce((total, section) => total + count(section), 0)
  const ofBasis = (basis: 'text' | 'local'): string =>
    `${sum((one) => one[basis].pass)}/${sum((one) => one[basis].pass + one[basis].fail)}`
  const others = [sum(({ open }) => open), sum(({ unsupported }) => unsupported)]
  return `| ${[who, ofBasis('text'), ofBasis('local'), ...others].join(' | ')} |`
}

/** How many vectors were put, by what became of them. */
export function totalOf({ sections }: Report) {
  const sum = (count: (section: Report['sections'][number]) => number): number =>
    sections.reduce((total, section) => total + count(section), 0)
  return {
    passed: sum(({ text, local }) => text.pass + local.pass),
    unsupported: sum(({ unsupported }) => unsupported),
    open: sum(({ open }) => open),
  }
}
