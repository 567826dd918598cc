/**
 * The script for bash, 3.2 and newer, with or without bash-completion.
 *
 * What is asked for is compared and quoted word by word and never handed to `compgen -W`, which would expand it.
 */
import { placeOf, placesOf, valueRows, valuedPlaces, variadicPlaces } from './tables.ts'
import type { CommandWord } from './words.ts'

/** Sourced by the shell, or by its start files. */
export function bashScript(words: readonly CommandWord[]): string {
  return `# agentd completion for bash: source <(agentd completion bash)
_agentd() {
  local -a line
  local cut cur quote="" path="" skip="" before="" n=0 i word
  _agentd_read
  cur="\${line[\${#line[@]}-1]}"
  for ((i = 1; i < \${#line[@]} - 1; i++)); do
    word="\${line[i]}"
    if [[ "$skip" == value || ( "$skip" == perhaps && "$word" != -* ) ]]; then skip=""; continue; fi
    skip=""
    if [[ "$word" == -- ]]; then COMPREPLY=(); return; fi
    if [[ "$word" == -* ]]; then
      case "$path $word" in
        ${pattern(valuedPlaces(words, 'value'))}) skip=value; before="$word" ;;
        ${pattern(valuedPlaces(words, 'perhaps'))}) skip=perhaps; before="$word" ;;
      esac
      continue
    fi
    case "$path $word" in
      ${pattern(placesOf(words))}) if [[ $n == 0 ]]; then path="$path $word"; continue; fi ;;
    esac
    n=$((n + 1))
  done
  case "$path" in
${variadicPlaces(words)
  .map(([place, last]) => `    "${place}") ((n > ${last})) && n=${last} ;;`)
  .join('\n')}
  esac
  cur="\${cur//\\\\/}"
  case "$cur" in [\\"\\']*) quote="\${cur:0:1}"; cur="\${cur:1}" ;; esac
  if [[ "$cur" == --*=* ]]; then skip=value; before="\${cur%%=*}"; cur="\${cur#*=}"; fi
  # What readline replaces begins behind the last of these.
  word="$cur"
  if [[ -z "$quote" ]]; then
    for i in : @ =; do [[ "$COMP_WORDBREAKS" == *"$i"* ]] && word="\${word##*"$i"}"; done
  fi
  cut="\${cur%"$word"}"
  COMPREPLY=()
  if [[ -n "$skip" && ( "$skip" == value || "$cur" != -* ) ]]; then _agentd_values "$path $before"; return; fi
  if [[ "$cur" == -* ]]; then _agentd_options "$path"; return; fi
  if [[ $n == 0 ]]; then _agentd_commands "$path"; fi
  _agentd_values "$path#$n"
}
# The words up to the cursor, put together again where readline has cut them at a colon, an at sign or an equals sign.
_agentd_read() {
  local rest="$COMP_LINE" piece glued
  line=()
  for ((i = 0; i <= COMP_CWORD; i++)); do
    piece="\${COMP_WORDS[i]}"
    glued=""
    if [[ $i -gt 0 && -n "$COMP_LINE" && "$rest" != [[:space:]]* ]]; then glued=1; fi
    if [[ -n "$glued" ]]; then line[\${#line[@]}-1]="\${line[\${#line[@]}-1]}$piece"; else line[\${#line[@]}]="$piece"; fi
    rest="\${rest#"\${rest%%[![:space:]]*}"}"
    rest="\${rest#"$piece"}"
  done
}
# Offers a word where it goes on from what was typed.
_agentd_offer() {
  if [[ "$1" != "$cur"* ]]; then return; fi
  local rest="\${1#"$cut"}"
  if [[ -z "$quote" ]]; then printf -v rest %q "$rest"; fi
  COMPREPLY[\${#COMPREPLY[@]}]="$rest"
}
_agentd_each() {
  local one
  for one in "$@"; do _agentd_offer "$one"; done
}
_agentd_asked() {
  local one
  while IFS= read -r one; do _agentd_offer "\${one%%$'\\t'*}"; done < <(command agentd complete "$1" </dev/null 2>/dev/null)
}
_agentd_values() {
  case "$1" in
${valueRows(words)
  .map(
    ({ places, words: known, asked }) =>
      `    ${pattern(places)}) ${asked === undefined ? `_agentd_each ${known.join(' ')}` : `_agentd_asked ${asked}`} ;;`,
  )
  .join('\n')}
  esac
}
_agentd_commands() {
  case "$1" in
${words
  .filter(({ next }) => next.length > 0)
  .map(
    ({ path, next }) => `    "${placeOf(path)}") _agentd_each ${next.map(({ name }) => name).join(' ')} ;;`,
  )
  .join('\n')}
  esac
}
_agentd_options() {
  case "$1" in
${words
  .map(
    ({ path, options }) =>
      `    "${placeOf(path)}") _agentd_each ${options.map(({ name }) => name).join(' ')} ;;`,
  )
  .join('\n')}
  esac
}
complete -o default -F _agentd agentd`
}

/** One of several in a \`case\`; nothing is equal to none. */
function pattern(places: readonly string[]): string {
  return places.length === 0 ? '"/"' : places.map((place) => `"${place}"`).join('|')
}
