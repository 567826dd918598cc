/**
 * All topics, in the order of their list.
 */
import { DELIVERY, LEASES, LINKS, PRIVACY } from './matters.ts'
import { ENVIRONMENT, EXIT_CODES, JSON_TOPIC } from './programs.ts'
import { formatRows, type Topic } from './topic.ts'
import { DURATIONS, FILTERS, KINDS, SCOPES } from './words.ts'

/** What `agentd help <topic>` knows. */
export const TOPICS: readonly Topic[] = [
  SCOPES,
  FILTERS,
  KINDS,
  DURATIONS,
  DELIVERY,
  LEASES,
  LINKS,
  PRIVACY,
  ENVIRONMENT,
  JSON_TOPIC,
  EXIT_CODES,
]

/** The word that lists them. */
export const TOPIC_LIST = 'topics'

/** The list of them. */
export function formatTopics(): string {
  const rows = TOPICS.map(({ name, says }) => [name, says] as const)
  return `Topics, each a page of "agentd help <topic>":\n\n${formatRows(rows)}`
}
