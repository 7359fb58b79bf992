/**
 * The owner of the rows of a table. `organization`: an organization's, by `organization_id`. `chain`: the same, about signed transactions, which may be
 * on their chain whatever becomes of the rest. `deployment`: others, and those that go with a row of another table.
 */
type RowsOf = "deployment" | "organization" | "chain"

/** All tables but `migrations`. A table stands after those that its foreign keys name. */
const DECLARED = {
  deployment: "deployment",
  organizations: "deployment",
  identities: "organization",
  records: "organization",
  sessions: "organization",
  activities: "organization",
  boot_proofs: "deployment",
  sends: "chain",
  nonce_reservations: "chain",
  on_ramp_statuses: "organization",
  auth_proxy_configs: "organization",
  webhook_targets: "organization",
  webhook_deliveries: "organization",
  webhook_attempts: "deployment",
  webhook_redeliveries: "organization",
  webhook_families: "deployment",
  webhook_wakes: "organization",
  webhook_endings: "organization",
  balance_watches: "organization",
  denial_counts: "organization",
  activity_exports: "deployment",
  policy_lists: "organization",
  erasures: "deployment",
  log_heads: "deployment",
  decision_receipts: "organization",
} as const satisfies { readonly [table: string]: RowsOf }

type Table = keyof typeof DECLARED

/** Tables of a backup, in the order in which they can be filled. The migrations write `migrations`. */
export const TABLES = Object.keys(DECLARED) as Table[]

/** Tables in the order in which they can be emptied. */
const emptied = (...rows: RowsOf[]) => TABLES.filter((name) => rows.includes(DECLARED[name])).toReversed()

/** Tables with rows of an organization. `organizations` is not among them. */
export const ORGANIZATION_TABLES: readonly Table[] = emptied("organization", "chain")

/** An organization's tables without its signed transactions. */
export const ORGANIZATION_STATE_TABLES: readonly Table[] = emptied("organization")

/** Sequences, of identity columns too. */
export const SEQUENCES = [
  "webhook_attempts_sequence_seq",
  "webhook_deliveries_sequence_seq",
  "webhook_ending_turns",
  "webhook_redelivery_turns",
  "webhook_wakes_sequence_seq",
] as const
