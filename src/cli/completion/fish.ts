/**
 * The script for fish, 3 and newer. What is asked for comes from a command substitution, which fish reads line by line and
 * expands no further.
 */
import { quoteWord } from './quote-word.ts'
import { askWords, placeOf, placesOf, valuedPlaces, variadicPlaces } from './tables.ts'
import type { ArgumentWord, CommandWord, OptionWord, Values } from './words.ts'

export function fishScript(words: readonly CommandWord[]): string {
  return [
    '# agentd completion for fish: agentd completion fish | source',
    '# Where the cursor is: the path, and behind # the number of the argument.',
    'function __agentd_place',
    '  set -l at ""',
    '  set -l skip ""',
    '  set -l n 0',
    '  set -l words (commandline -opc)',
    '  set -e words[1]',
    '  for word in $words',
    '    if test "$skip" = value; set skip ""; continue; end',
    "    if test \"$skip\" = perhaps; set skip ''; if not string match -q -- '-*' $word; continue; end; end",
    '    if test "$word" = --; echo "/"; return; end',
    "    if string match -q -- '-*' $word",
    `      if contains -- "$at $word" ${list(valuedPlaces(words, 'value'))}; set skip value; end`,
    `      if contains -- "$at $word" ${list(valuedPlaces(words, 'perhaps'))}; set skip perhaps; end`,
    '      continue',
    '    end',
    `    if test $n = 0; and contains -- "$at $word" ${list(placesOf(words))}; set at "$at $word"; continue; end`,
    '    set n (math $n + 1)',
    '  end',
    '  switch "$at"',
    ...variadicPlaces(words).map(
      ([place, last]) => `    case ${quoteWord(place)}; if test $n -gt ${last}; set n ${last}; end`,
    ),
    '  end',
    '  echo "$at#$n"',
    'end',
    'function __agentd_at',
    '  set -l place (__agentd_place)',
    '  test "$place" = "$argv[1]"; or string match -q -- "$argv[1]#*" $place',
    'end',
    'complete -c agentd -f',
    ...words.flatMap(linesOf),
  ].join('\n')
}

function linesOf({ path, options, next, args }: CommandWord): readonly string[] {
  const place = placeOf(path)
  const at = `complete -c agentd -n ${atPlace(place)}`
  return [
    ...next.map(
      ({ name, says }) =>
        `complete -c agentd -n ${atPlace(`${place}#0`)} -a ${quoteWord(name)} -d ${quoteWord(says)}`,
    ),
    ...options.map(
      (option) => `${at} -l ${option.name.slice(2)}${valueOf(option)} -d ${quoteWord(option.says)}`,
    ),
    ...args.map((argument, i) => argumentLine(argument, `${place}#${i}`)),
  ]
}

/** Where nothing is known, a file may be meant. */
function argumentLine(argument: ArgumentWord, place: string): string {
  const values = listOf(argument)
  return `complete -c agentd -n ${atPlace(place)}${values === '' ? ' -F' : ` -a ${values}`}`
}

function valueOf(option: OptionWord): string {
  if (option.takes === 'nothing') return ''
  const values = listOf(option)
  if (option.takes === 'perhaps') return values === '' ? ' -F' : ` -a ${values}`
  return values === '' ? ' -r -F' : ` -x -a ${values}`
}

function listOf({ words, asked }: Values): string {
  if (asked !== undefined) return quoteWord(`(${askWords(asked)})`)
  return words.length === 0 ? '' : quoteWord(words.join(' '))
}

function atPlace(place: string): string {
  return quoteWord(`__agentd_at "${place}"`)
}

function list(places: readonly string[]): string {
  return places.length === 0 ? '/' : places.map(quoteWord).join(' ')
}
