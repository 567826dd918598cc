/**
 * What commands about envelopes, keys, evidence, handles, organisations and links print.
 */
import { COUNT, OBJECT, TEXT, YES_OR_NO, listOf, oneOf, orNull, shape, type Schema } from './shape.ts'

const KEY_MEMBERS = {
  kid: TEXT,
  alg: oneOf('ed25519', 'HS256'),
  entities: listOf(TEXT),
  status: TEXT,
  state: TEXT,
  created_at: TEXT,
  can_sign: YES_OR_NO,
  public: orNull(TEXT),
}

const REALM = { anyOf: [TEXT, OBJECT] }

const TOLD = shape({ state: oneOf('told', 'not-running', 'unreached'), sentence: TEXT })

/** Name → what it is the shape of. */
export const TRUST_SCHEMAS: Readonly<Record<string, Schema>> = {
  'cli-envelope-sent': shape({
    event_id: TEXT,
    recipient_count: COUNT,
    queued_count: COUNT,
    'envelope?': OBJECT,
  }),
  'cli-thread': shape({ items: listOf(OBJECT), tree: listOf(OBJECT), open: listOf({}) }),
  'cli-check': shape({ file: TEXT, line: orNull(COUNT), level: TEXT }),
  'cli-key': shape({ ...KEY_MEMBERS, file: TEXT }),
  'cli-keys': shape({ keys: listOf(shape(KEY_MEMBERS)), faults: listOf(TEXT) }),
  'cli-public-key': shape({ kid: TEXT, alg: TEXT, entities: listOf(TEXT), public: TEXT }),
  'cli-revoked': shape({ kid: TEXT, status: oneOf('revoked'), changed: YES_OR_NO }),
  'cli-audit': shape({
    file: TEXT,
    format: oneOf('VOLT', 'WARD', 'TIP', 'BUNDLE'),
    verdict: TEXT,
    entries: COUNT,
    faults: listOf({}),
  }),
  'cli-audit-envelope': shape({ id: TEXT, hash: orNull(TEXT), proven: YES_OR_NO, records: listOf(OBJECT) }),
  'cli-tip': shape({ at: TEXT, ledgers: listOf(OBJECT), 'sig?': OBJECT }),
  'cli-bundle': shape({ events: COUNT, receipts: COUNT, attachments: COUNT, is_signed: YES_OR_NO }),
  'cli-handles': shape({
    principal: TEXT,
    handles: listOf(shape({ handle: TEXT, tier: TEXT, 'of?': TEXT })),
  }),
  'cli-orgs': shape({
    organisations: listOf(
      shape({ org: TEXT, authority_epoch: orNull(COUNT), state: TEXT, refusal: orNull(TEXT) }),
    ),
  }),
  'cli-org': shape({
    org: TEXT,
    authority_epoch: COUNT,
    state: TEXT,
    members: listOf(shape({ handle: TEXT, roles: listOf(TEXT) })),
  }),
  'cli-request': shape({ node: TEXT, handle: TEXT, org: TEXT, key: TEXT, request: TEXT, 'accord?': TEXT }),
  'cli-invitation': shape({ org: TEXT, handle: TEXT, node: TEXT, invitation: TEXT, hub: TOLD }),
  'cli-published': shape({ org: TEXT, authority_epoch: orNull(COUNT), hub: TOLD }),
  'cli-accords': shape({
    accords: listOf(
      shape({
        accord: TEXT,
        authority_epoch: orNull(COUNT),
        state: TEXT,
        grants: listOf(OBJECT),
        refusal: orNull(TEXT),
      }),
    ),
  }),
  'cli-link': shape({ name: TEXT, state: TEXT }),
  'cli-links': shape({ links: listOf(shape({ name: TEXT, state: TEXT })), 'stored?': listOf(TEXT) }),
  'cli-link-rules': { anyOf: [shape({ name: TEXT, allow: OBJECT }), shape({ name: TEXT, state: TEXT })] },
  'cli-link-removed': shape({ removed: TEXT }),
  'cli-hub': shape({ hub: TEXT, node: TEXT, urls: listOf(TEXT), join: TEXT, unit: {}, run: {} }),
  'cli-hub-invited': shape({ node: TEXT, join: orNull(TEXT), hub: TOLD }),
  'cli-hub-revoked': shape({ node: TEXT, hub: TOLD }),
  'cli-hub-nodes': shape({
    realm: REALM,
    name: TEXT,
    urls: listOf(TEXT),
    nodes: listOf(shape({ node: TEXT, state: TEXT, 'heard_at?': TEXT })),
  }),
  'cli-hub-accounts': shape({ accounts: TEXT }),
  'cli-hub-told': TOLD,
}
