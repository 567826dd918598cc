/**
 * The manual pages of the topics, in section 7: what `agentd help <topic>` shows.
 */
import { TOPICS } from '../help/topics.ts'
import type { Block, Topic } from '../help/topic.ts'
import type { ManualPage } from './pages.ts'
import { item, section, title } from './parts.ts'
import { bold, roffLine, roffText } from './roff.ts'

/** One for each topic, such as `agentd-scopes.7`. */
export function topicPages(version: string): readonly ManualPage[] {
  return TOPICS.map((topic) => ({ file: `${pageName(topic)}.7`, text: page(topic, version) }))
}

function pageName({ name }: Topic): string {
  return `agentd-${name}`
}

function page(topic: Topic, version: string): string {
  const others = TOPICS.filter((other) => other !== topic).map(
    (other) => `${bold(roffText(pageName(other)))}(7)`,
  )
  const lines = [
    ...title({ name: pageName(topic), section: 7, version, says: topic.says }),
    ...section('DESCRIPTION', topic.blocks.flatMap(blockLines)),
    ...section('SEE ALSO', [[`${bold('agentd')}(1)`, ...others].join(', ')]),
  ]
  return `${lines.join('\n')}\n`
}

function blockLines(block: Block): readonly string[] {
  if ('text' in block) return ['.PP', roffText(block.text)]
  if ('rows' in block) return block.rows.flatMap(([term, means]) => item(term, means))
  return ['.PP', '.EX', ...block.example.map((line) => roffLine(line)), '.EE']
}
