/**
 * Completion scripts. They hold the whole tree, so that a key press starts no process.
 */
import type { CommandWord, OptionWord } from './words.ts'

/** For bash 3.2 and newer, with or without bash-completion. */
export function bashScript(words: readonly CommandWord[]): string {
  return `# agentd completion for bash: source <(agentd completion bash)
_agentd() {
  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" path="" skip="" i
  for ((i = 1; i < COMP_CWORD; i++)); do
    if [[ -n "$skip" ]]; then skip=""; continue; fi
    case "\${COMP_WORDS[i]}" in
      ${valueOptions(words).join('|')}) skip=1 ;;
      -*) ;;
      *) case "$path \${COMP_WORDS[i]}" in
        ${paths(words).map(bashWord).join('|')}) path="$path \${COMP_WORDS[i]}" ;;
      esac ;;
    esac
  done
  case "$path $before" in
${words.flatMap(bashValues).join('\n')}
  esac
  if [[ "$before" == --* && -n "$skip" ]]; then COMPREPLY=(); return; fi
  local names="" options=""
  case "$path" in
${words.map(bashNames).join('\n')}
  esac
  if [[ "$word" == -* ]]; then COMPREPLY=($(compgen -W "$options" -- "$word"))
  else COMPREPLY=($(compgen -W "$names" -- "$word")); fi
}
complete -o default -F _agentd agentd`
}

/** For zsh, sourced or as a file named `_agentd` in `$fpath`. */
export function zshScript(words: readonly CommandWord[]): string {
  return `#compdef agentd
# agentd completion for zsh: source <(agentd completion zsh)
_agentd() {
  local at="" skip="" i
  for ((i = 2; i < CURRENT; i++)); do
    if [[ -n "$skip" ]]; then skip=""; continue; fi
    case "$words[i]" in
      ${valueOptions(words).join('|')}) skip=1 ;;
      -*) ;;
      *) case "$at $words[i]" in
        ${paths(words).map(bashWord).join('|')}) at="$at $words[i]" ;;
      esac ;;
    esac
  done
  case "$at $words[CURRENT-1]" in
${words.flatMap(zshValues).join('\n')}
  esac
  if [[ -n "$skip" ]]; then _files; return; fi
  local -a names options
  case "$at" in
${words.map(zshNames).join('\n')}
  esac
  if [[ "$words[CURRENT]" == -* ]]; then _describe -o option options
  elif (( $#names )); then _describe command names
  else _files; fi
}
if [[ "$funcstack[1]" == _agentd ]]; then _agentd "$@"; else compdef _agentd agentd; fi`
}

/** For fish 3 and newer. */
export function fishScript(words: readonly CommandWord[]): string {
  const inner = words.filter(({ path }) => path.length > 0)
  return [
    '# agentd completion for fish: agentd completion fish | source',
    'function __agentd_at',
    '  set -l at ""',
    '  set -l skip ""',
    '  set -l words (commandline -opc)',
    '  set -e words[1]',
    '  for word in $words',
    '    if test -n "$skip"; set skip ""; continue; end',
    `    if contains -- $word ${valueOptions(words).join(' ')}; set skip 1; continue; end`,
    `    if contains -- "$at $word" ${paths(words).map(quote).join(' ')}; set at "$at $word"; end`,
    '  end',
    '  test "$at" = "$argv[1]"',
    'end',
    'complete -c agentd -f',
    ...words.flatMap(fishLines),
    ...inner
      .filter(({ next }) => next.length === 0)
      .map(({ path }) => `complete -c agentd -n ${fishAt(path)} -F`),
  ].join('\n')
}

/** ` service install`: how a place in the tree is written in the scripts. */
function place(path: readonly string[]): string {
  return path.map((name) => ` ${name}`).join('')
}

function paths(words: readonly CommandWord[]): readonly string[] {
  return words.map(({ path }) => place(path)).filter((path) => path !== '')
}

function valueOptions(words: readonly CommandWord[]): readonly string[] {
  const names = words.flatMap(({ options }) =>
    options.filter(({ takesValue }) => takesValue).map(({ name }) => name),
  )
  return [...new Set(names)]
}

function bashWord(path: string): string {
  return `"${path}"`
}

function bashValues({ path, options }: CommandWord): readonly string[] {
  return withChoices(options).map(
    ({ name, choices }) =>
      `    "${place(path)} ${name}") COMPREPLY=($(compgen -W "${choices.join(' ')}" -- "$word")); return ;;`,
  )
}

function bashNames({ path, options, next }: CommandWord): string {
  const names = next.map(({ name }) => name).join(' ')
  return `    "${place(path)}") names="${names}" options="${options.map(({ name }) => name).join(' ')}" ;;`
}

function zshValues({ path, options }: CommandWord): readonly string[] {
  return withChoices(options).map(
    ({ name, choices }) => `    "${place(path)} ${name}") compadd -- ${choices.join(' ')}; return ;;`,
  )
}

function zshNames({ path, options, next }: CommandWord): string {
  return `    "${place(path)}") names=(${zshList(next)}); options=(${zshList(options)}) ;;`
}

function zshList(entries: readonly { readonly name: string; readonly says: string }[]): string {
  return entries.map(({ name, says }) => quote(`${name}:${says}`)).join(' ')
}

function fishLines({ path, options, next }: CommandWord): readonly string[] {
  const at = `complete -c agentd -n ${fishAt(path)}`
  return [
    ...next.map(({ name, says }) => `${at} -a ${quote(name)} -d ${quote(says)}`),
    ...options.map(
      (option) => `${at} -l ${option.name.slice(2)}${fishValue(option)} -d ${quote(option.says)}`,
    ),
  ]
}

function fishValue({ takesValue, choices }: OptionWord): string {
  if (!takesValue) return ''
  return choices.length === 0 ? ' -r -F' : ` -x -a ${quote(choices.join(' '))}`
}

function fishAt(path: readonly string[]): string {
  return quote(`__agentd_at "${place(path)}"`)
}

function withChoices(options: readonly OptionWord[]): readonly OptionWord[] {
  return options.filter(({ choices }) => choices.length > 0)
}

/** One word for zsh and fish; both end a single quote the same way only without backslashes inside. */
function quote(text: string): string {
  return `'${text.replaceAll('\\', '').replaceAll("'", '’')}'`
}
