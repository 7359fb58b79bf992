/** Tables of a backup. A table stands after those that its foreign keys name. `migrations` is written by the migrations. */
export const TABLES = [
  "deployment",
  "organizations",
  "identities",
  "records",
  "sessions",
  "activities",
  "boot_proofs",
  "sends",
  "nonce_reservations",
  "on_ramp_statuses",
  "auth_proxy_configs",
  "webhook_targets",
  "webhook_deliveries",
  "webhook_attempts",
  "webhook_redeliveries",
  "webhook_families",
  "webhook_wakes",
  "webhook_endings",
  "denial_counts",
  "activity_exports",
  "policy_lists",
  "erasures",
  "log_heads",
  "decision_receipts",
] as const

/** Sequences, of identity columns too. */
export const SEQUENCES = [
  "webhook_attempts_sequence_seq",
  "webhook_deliveries_sequence_seq",
  "webhook_ending_turns",
  "webhook_redelivery_turns",
  "webhook_wakes_sequence_seq",
] as const
