/**
 * Vectors whose sentence the daemon does not keep yet: bounds that the memo does not state (AC-051, AC-099, ACQ-14).
 */
export const NOT_YET: ReadonlySet<string> = new Set([
  'memo-3.2-acted_by-a-name-that-begins-like-a-product',
  'memo-3.3-provenance_method-many',
  'memo-3.3-provenance_method-long',
  'memo-5.1-agent_advisory-file_refs-65-of-them',
  'memo-5.1-agent_advisory-file_refs-a-long-one',
  'memo-5.2-agent_broadcast-refs-65-of-them',
  'memo-5.2-agent_broadcast-refs-a-long-one',
  'memo-5.3-agent_handover-handover_body-long',
  'memo-5.3-agent_handover-pointer_refs-65-of-them',
  'memo-5.3-agent_handover-pointer_refs-a-long-one',
  'memo-5.10-findings-17',
  'memo-5.10-recommendations-17',
  'memo-5.11-peer_diagnostic_request-substrate_refs-65-of-them',
  'memo-5.11-peer_diagnostic_request-substrate_refs-a-long-one',
  'memo-5.13-intent_declare-convergence_class-as-in-a-package',
  'memo-5.13-intent_withdraw-convergence_class-as-in-a-package',
  'memo-5.13-flush_executed-convergence_class-as-in-a-package',
  'memo-5.13-flush_executed-batch_refs-257',
  'memo-5.12-peer_diagnostic_response-substrate_refs-65-of-them',
  'memo-5.12-peer_diagnostic_response-substrate_refs-a-long-one',
])
