/**
 * The script for zsh, sourced or as a file named `_agentd` in `$fpath`.
 */
import { quoteWord } from './quote-word.ts'
import { placeOf, placesOf, valueRows, valuedPlaces, variadicPlaces } from './tables.ts'
import type { CommandWord } from './words.ts'

/** What zsh inserts it quotes itself. */
export function zshScript(words: readonly CommandWord[]): string {
  return `#compdef agentd
# agentd completion for zsh: source <(agentd completion zsh)
_agentd() {
  local path_="" skip="" before="" word i n=0
  for ((i = 2; i < CURRENT; i++)); do
    word="$words[i]"
    if [[ "$skip" == value || ( "$skip" == perhaps && "$word" != -* ) ]]; then skip=""; continue; fi
    skip=""
    if [[ "$word" == -- ]]; then _files; return; fi
    if [[ "$word" == -* ]]; then
      case "$path_ $word" in
        ${pattern(valuedPlaces(words, 'value'))}) skip=value; before="$word" ;;
        ${pattern(valuedPlaces(words, 'perhaps'))}) skip=perhaps; before="$word" ;;
      esac
      continue
    fi
    case "$path_ $word" in
      ${pattern(placesOf(words))}) if [[ $n == 0 ]]; then path_="$path_ $word"; continue; fi ;;
    esac
    n=$((n + 1))
  done
  case "$path_" in
${variadicPlaces(words)
  .map(([place, last]) => `    "${place}") ((n > ${last})) && n=${last} ;;`)
  .join('\n')}
  esac
  if [[ "$PREFIX" == --*=* ]]; then before="\${PREFIX%%=*}"; skip=value; compset -P '*='; fi
  if [[ -n "$skip" && ( "$skip" == value || "$PREFIX" != -* ) ]]; then
    _agentd_values "$path_ $before" || _files
    return
  fi
  local -a names
  if [[ "$PREFIX" == -* ]]; then
    case "$path_" in
${words.map(({ path, options }) => `      "${placeOf(path)}") names=(${described(options)}) ;;`).join('\n')}
    esac
    _describe -o option names
    return
  fi
  if [[ $n == 0 ]]; then
    case "$path_" in
${words
  .filter(({ next }) => next.length > 0)
  .map(({ path, next }) => `      "${placeOf(path)}") names=(${described(next)}) ;;`)
  .join('\n')}
    esac
    if (( $#names )); then _describe command names; return; fi
  fi
  _agentd_values "$path_#$n" || _files
}
_agentd_values() {
  case "$1" in
${valueRows(words)
  .map(
    ({ places, words: known, asked }) =>
      `    ${pattern(places)}) ${asked === undefined ? `compadd -- ${known.join(' ')}` : `_agentd_asked ${asked}`} ;;`,
  )
  .join('\n')}
    *) return 1 ;;
  esac
  return 0
}
_agentd_asked() {
  local -a found shown
  local one
  while IFS= read -r one; do
    found+=("\${one%%$'\\t'*}")
    shown+=("\${one%%$'\\t'*}  -- \${one#*$'\\t'}")
  done < <(command agentd complete "$1" </dev/null 2>/dev/null)
  (( $#found )) && compadd -l -d shown -- "\${found[@]}"
}
if [[ "$funcstack[1]" == _agentd ]]; then _agentd "$@"; else compdef _agentd agentd; fi`
}

function pattern(places: readonly string[]): string {
  return places.length === 0 ? '"/"' : places.map((place) => `"${place}"`).join('|')
}

function described(entries: readonly { readonly name: string; readonly says: string }[]): string {
  return entries.map(({ name, says }) => quoteWord(`${name}:${says}`)).join(' ')
}
