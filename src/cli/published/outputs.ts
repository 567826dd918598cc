/**
 * Which schema has what a command prints with `--json`: of the daemon (`dist/schemas/http`), of envelopes
 * (`dist/schemas/envelope`), or of the command line itself, whose names begin with `cli-` (`dist/schemas/cli`).
 */
import { FRAME_SCHEMAS } from './of-frames.ts'
import { MACHINE_SCHEMAS } from './of-machine.ts'
import { TRUST_SCHEMAS } from './of-trust.ts'
import type { Schema } from './shape.ts'

/** Those of the command line, by name. */
const SCHEMAS: Readonly<Record<string, Schema>> = { ...MACHINE_SCHEMAS, ...FRAME_SCHEMAS, ...TRUST_SCHEMAS }

export const CLI_SCHEMA_NAMES: readonly string[] = Object.keys(SCHEMAS)

/** @returns undefined for a name that is none of them */
export function findCliSchema(name: string): Schema | undefined {
  const schema = Object.hasOwn(SCHEMAS, name) ? SCHEMAS[name] : undefined
  if (schema === undefined) return undefined
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `urn:agentd:schema:${name}`,
    ...schema,
  }
}

/** What each object that a command prints is one of; none: it prints nothing, and its exit code says what came of it. */
export const OUTPUTS: Readonly<Record<string, readonly string[]>> = {
  serve: ['cli-passing'],
  start: ['cli-start'],
  stop: ['cli-stop'],
  status: ['cli-status'],
  'store adopt': ['cli-adopted'],
  'config list': ['cli-settings'],
  'config get': ['cli-setting'],
  'config set': ['cli-setting-changed'],
  'config unset': ['cli-setting-changed'],
  'config path': ['cli-config-path'],
  logs: ['cli-log-line'],
  report: ['cli-report'],
  'service install': ['cli-service'],
  'service uninstall': ['cli-service'],
  uninstall: ['cli-uninstall'],
  send: ['verb-reply', 'receipts-reply'],
  advise: ['verb-reply'],
  broadcast: ['verb-reply'],
  handover: ['verb-reply'],
  respond: ['verb-reply'],
  lock: ['verb-reply'],
  unlock: ['verb-reply'],
  extend: ['verb-reply'],
  takeover: ['cli-takeover'],
  ask: ['cli-answer'],
  needs: ['needs-reply', 'cli-needs-count'],
  decide: ['cli-decided'],
  approve: ['cli-envelope-sent'],
  reject: ['cli-envelope-sent'],
  dismiss: ['cli-decided'],
  board: ['cli-board'],
  locks: ['cli-locks'],
  tail: ['cli-passing'],
  roster: ['cli-roster', 'cli-ended'],
  resolve: ['cli-resolve'],
  observe: ['cli-observe'],
  history: ['history-reply', 'cli-forget'],
  inbox: ['drain-reply'],
  receipts: ['receipts-reply'],
  ui: ['cli-ui'],
  top: [],
  setup: ['cli-setup'],
  doctor: ['cli-doctor'],
  'git verify': ['cli-git-verify'],
  mcp: [],
  hook: [],
  'git-hook': [],
  'handles add': [],
  'handles list': ['cli-handles'],
  'handles remove': [],
  'org init': [],
  'org member add': [],
  'org member remove': [],
  'org request': ['cli-request'],
  'org invite': ['cli-invitation'],
  'org publish': ['cli-published'],
  'org list': ['cli-orgs'],
  'org show': ['cli-org'],
  'org install': [],
  'org remove': [],
  'accord draft': [],
  'accord sign': [],
  'accord install': [],
  'accord request': ['cli-request'],
  'accord invite': ['cli-invitation'],
  'accord list': ['cli-accords'],
  'accord revoke': [],
  'link add': ['cli-link'],
  'link status': ['cli-links'],
  'link allow': ['cli-link-rules'],
  'link remove': ['cli-link-removed'],
  'link hub init': ['cli-hub'],
  'link hub run': [],
  'link hub invite': ['cli-hub-invited'],
  'link hub revoke': ['cli-hub-revoked'],
  'link hub list': ['cli-hub-nodes'],
  'link hub print': ['cli-hub-accounts'],
  'link hub tell': ['cli-hub-told'],
  'envelope send': ['cli-envelope-sent', 'cli-passing'],
  'envelope get': ['aee-v1'],
  'envelope thread': ['cli-thread'],
  'envelope threads': ['threads-reply'],
  'envelope check': ['cli-check'],
  'envelope export': ['aee-v1'],
  wrap: ['aee-v1'],
  'keys new': ['cli-key'],
  'keys list': ['cli-keys'],
  'keys export': ['cli-public-key'],
  'keys trust': ['cli-key'],
  'keys revoke': ['cli-revoked'],
  'audit verify': ['cli-audit'],
  'audit envelope': ['cli-audit-envelope'],
  'audit tip': ['cli-tip'],
  'audit bundle': ['cli-bundle'],
  help: ['cli-help'],
  version: ['cli-version'],
  completion: ['cli-completion'],
}
