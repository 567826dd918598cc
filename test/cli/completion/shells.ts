/**
 * What the real shells offer, with the scripts that `agentd completion` has printed.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'vitest'
import type { TempDir } from '../../support/temp-dir.ts'
import { agentd, type Env } from '../support.ts'

export const SHELLS = ['bash', 'zsh', 'fish'] as const

export type Shell = (typeof SHELLS)[number]

/** The checkout's own command is the one that a script asks. */
const BIN = join(import.meta.dirname, '..', '..', '..', 'bin')

/** Shells take their files from here and nothing of whoever runs the tests. */
export function shellEnv(env: Env): Env {
  return { ...env, PATH: `${BIN}:${process.env['PATH'] ?? ''}`, TERM: 'dumb' }
}

/** Writes the script of each shell into the folder, under its name. */
export async function writeScripts(dir: TempDir): Promise<void> {
  mkdirSync(dir.file('empty'))
  for (const shell of SHELLS) {
    const { stdout } = await agentd({ PATH: process.env['PATH'] ?? '', HOME: dir.path }, [
      'completion',
      shell,
    ])
    writeFileSync(dir.file(shell), stdout)
  }
}

/**
 * Bash is given the line as readline divides it; zsh's builtins that take matches print them instead; fish answers itself.
 */
const PROGRAMS: Readonly<Record<Shell, (script: string) => readonly string[]>> = {
  bash: (script) => [
    '--norc',
    '-c',
    `source ${script}
     COMP_LINE="$1"; COMP_POINT=\${#1}; COMP_WORDS=(); shift
     COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _agentd; for one in "\${COMPREPLY[@]}"; do printf '%s\\n' "$one"; done`,
    'bash',
  ],
  zsh: (script) => [
    '-f',
    '-c',
    `compdef() { :; }; _files() { :; }
     compset() { PREFIX="\${PREFIX#*=}"; }
     offer() { local one; for one in "$@"; do [[ "$one" == "$PREFIX"* ]] && print -r -- "$one"; done; return 0; }
     compadd() { while [[ "$1" != -- ]]; do shift; done; shift; offer "$@"; }
     _describe() { local -a list=("\${(@P)@[-1]}"); offer "\${(@)list%%:*}"; }
     source ${script}
     words=("$@"); CURRENT=$#; PREFIX="\${words[-1]}"; _agentd`,
    'zsh',
  ],
  fish: (script) => ['--no-config', '-c', `source ${script}; complete -C "$argv"`],
}

/** @param last - what is being typed; earlier words as they are in `words` */
export function offered(shell: Shell, script: string, env: Env, words: readonly string[]): readonly string[] {
  const line = ['agentd', ...words]
  const args =
    shell === 'bash'
      ? [line.join(' '), ...line.flatMap(cutAsReadline)]
      : shell === 'fish'
        ? [line.join(' ')]
        : line
  const { stdout, stderr, status } = spawnSync(shell, [...PROGRAMS[shell](script), ...args], {
    encoding: 'utf8',
    env: shellEnv(env),
    // Where there are no files to offer.
    cwd: join(dirname(script), 'empty'),
  })
  expect([shell, words, stderr]).toEqual([shell, words, ''])
  expect([shell, words, status === null]).toEqual([shell, words, false])
  return stdout
    .split('\n')
    .map((one) => one.split('\t')[0] ?? '')
    .filter((one) => one !== '')
}

/** At the characters that end a word for readline, each a word of its own; a word that ends with one is followed by an empty one. */
function cutAsReadline(word: string): readonly string[] {
  return word === '' ? [''] : word.split(/([:@=]+)/).filter((piece, i) => piece !== '' || i > 0)
}
