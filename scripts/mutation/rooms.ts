/** Files with guards that are mutated together, and the tests that must notice each change. */
export type Room = {
  /** Globs, relative to the repository. */
  readonly mutate: readonly string[]
  /** Test files; they run in one process in this order, and a mutant ends the run at the first test that fails. */
  readonly tests: readonly string[]
  /** The files run in threads too, where their coverage is not seen: every test is run for every mutant. */
  readonly isThreaded?: true
}

const EXECUTION = "signer/enclave/execution"

const VOTING = "test/signer/enclave/execution/voting"

/** Tests of votes, those first that notice most changes of one file. */
function votingTests(...first: readonly string[]): string[] {
  const all = [
    `${VOTING}/pending.test.ts`,
    `${VOTING}/pending-activities.test.ts`,
    `${VOTING}/mfa-progress.test.ts`,
    "test/hostile/votes.test.ts",
    "test/hostile/consensus.test.ts",
    "test/hostile/mfa.test.ts",
    "test/hostile/mfa-own-credentials.test.ts",
    "test/hostile/mfa-stolen-keys.test.ts",
    "test/hostile/readded-keys.test.ts",
    "test/hostile/lapsed-votes.test.ts",
    `${VOTING}/rights.test.ts`,
    "test/signer/enclave/execution/vote.test.ts",
    "test/hostile/proven-votes.test.ts",
    "test/hostile/changed-rules.test.ts",
    "test/hostile/shared-votes.test.ts",
    "test/hostile/expired-voters.test.ts",
    "test/hostile/failed-runs.test.ts",
  ]
  return [...first, ...all.filter((file) => !first.includes(file))]
}

/** One file of the decision, with its tests. */
function decisionRoom(file: string, tests: readonly string[]): Room {
  const folder = "core/policy/decision"
  return {
    mutate: [`signer/${folder}/${file}.ts`],
    tests: tests.map((name) => `test/signer/${folder}/${name}.test.ts`),
  }
}

/** Files of the ledger, with their tests. */
function ledgerRoom(files: readonly string[], tests: readonly string[]): Room {
  const folder = "enclave/ledger"
  return {
    mutate: files.map((name) => `signer/${folder}/${name}.ts`),
    tests: tests.map((name) => `test/signer/${folder}/${name}.test.ts`),
  }
}

/** The guards of the enclave. Each room needs under ten minutes on two cores. */
export const rooms: { readonly [name: string]: Room } = {
  attested: {
    mutate: ["attested", "client-signature", "header-json", "signed-sign-up"].map(
      (name) => `signer/core/stamp/${name}.ts`,
    ),
    tests: [
      "test/signer/core/stamp/attested.test.ts",
      "test/signer/core/stamp/token-use.test.ts",
      "test/signer/core/stamp/signed-sign-up.test.ts",
      "test/hostile/attested-stamps.test.ts",
      "test/hostile/attested-contacts.test.ts",
      "test/hostile/mfa-codes.test.ts",
      "test/hostile/otp-logins.test.ts",
    ],
  },
  stamp: {
    mutate: ["der", "keys", "read-stamp", "verify"].map((name) => `signer/core/stamp/${name}.ts`),
    tests: [
      "test/signer/core/stamp/read-stamp.test.ts",
      "test/signer/core/stamp/der.test.ts",
      "test/signer/core/stamp/scheme.test.ts",
      "test/signer/core/stamp/passkey.test.ts",
      "test/signer/core/stamp/credential.test.ts",
      "test/signer/core/stamp/verify.test.ts",
      "test/signer/core/stamp/wycheproof.test.ts",
      "test/signer/core/stamp/keys.test.ts",
    ],
  },
  mailed: {
    mutate: [
      "signer/core/stamp/recovery-key.ts",
      "signer/core/fetch-orders/mailed-bundle.ts",
      `${EXECUTION}/steps/recovery-key.ts`,
      "signer/enclave/keys/mailed-key.ts",
      "signer/fetcher/codes/mail-key.ts",
    ],
    tests: [
      "test/signer/core/fetch-orders/mailed-bundle.test.ts",
      "test/signer/enclave/execution/steps/recovery-key.test.ts",
      "test/signer/enclave/keys/mailed-key.test.ts",
      "test/hostile/mailed-keys.test.ts",
      "test/signer/enclave/activities/email-auth.test.ts",
      "test/signer/enclave/activities/email-recovery.test.ts",
    ],
  },
  locks: {
    mutate: [`${EXECUTION}/steps/locks.ts`],
    tests: ["test/signer/enclave/execution/steps/locks.test.ts"],
  },
  mfa: decisionRoom("mfa", ["mfa", "reachable-steps"]),
  decide: decisionRoom("decide", ["decide", "denials", "policies", "waiting", "own-credentials"]),
  evaluator: decisionRoom("policy-evaluator", ["counted-votes", "denials", "policies", "waiting"]),
  policies: decisionRoom("policy-set", ["policy-set", "policies", "denials"]),
  credentials: decisionRoom("credentials", ["credentials", "approvers"]),
  search: decisionRoom("consensus-search", ["combinations", "consensus-search"]),
  consensus: decisionRoom("pending-consensus", [
    "consensus-budget",
    "consensus-classes",
    "vote-classes",
    "pending-consensus",
    "waiting",
    "counted-votes",
    "policies",
  ]),
  clock: ledgerRoom(["clock-jump", "trusted-clock"], ["trusted-clock", "accepted-clock"]),
  commits: ledgerRoom(
    ["group-commit", "log-checkpoint"],
    [
      "group-commit",
      "log-checkpoint",
      "long-writer",
      "log-size",
      "trusted-clock",
      "accepted-clock",
      "rollback",
    ],
  ),
  writer: {
    ...ledgerRoom(["long-writer", "writer-thread", "writes"], ["writer-thread", "long-writer"]),
    isThreaded: true,
  },
  macs: ledgerRoom(["mac"], ["mac"]),
  changes: ledgerRoom(
    ["read-change", "fault", "verify-shard"],
    ["read-change", "fault", "verify-shard", "ledger", "damage"],
  ),
  transaction: ledgerRoom(
    ["write-transaction"],
    ["write-transaction", "ledger", "index-shards", "log-size", "overflow", "damage", "group-commit"],
  ),
  shards: ledgerRoom(
    ["shards"],
    ["ledger", "page", "overflow", "index-shards", "cache", "damage", "purge-removed", "steps"],
  ),
  index: ledgerRoom(["kept-shards", "verify-index"], ["verify-index", "cache", "index-shards"]),
  rows: ledgerRoom(
    ["ledger", "overflow"],
    ["page", "overflow", "index-shards", "deployment-rows", "ledger", "overflow-verified", "purge-removed"],
  ),
  purge: ledgerRoom(
    ["purge", "statements"],
    ["ledger", "purge-removed", "page", "index-shards", "overflow", "damage", "create-ledger"],
  ),
  files: ledgerRoom(
    ["files", "connection", "schema", "deployment", "create-ledger", "local", "witness"],
    [
      "create-ledger",
      "files",
      "ledger",
      "accepted-clock",
      "page",
      "overflow",
      "purge-removed",
      "rollback",
      "steps",
    ],
  ),
  steps: {
    mutate: ["authenticate", "replay", "commit", "decision-input"].map(
      (name) => `${EXECUTION}/steps/${name}.ts`,
    ),
    tests: [
      "test/signer/enclave/execution/steps/authenticate.test.ts",
      "test/signer/enclave/execution/steps/large-body.test.ts",
      "test/signer/enclave/execution/steps/replay.test.ts",
      "test/signer/enclave/execution/steps/commit.test.ts",
      "test/signer/enclave/execution/steps/decision-input.test.ts",
      "test/hostile/family-logins.test.ts",
      "test/hostile/sub-organizations.test.ts",
      "test/hostile/acknowledgements.test.ts",
      "test/hostile/session-scopes.test.ts",
      "test/hostile/sessions.test.ts",
      "test/hostile/votes.test.ts",
      "test/hostile/ended-activities.test.ts",
      "test/hostile/replayed-exports.test.ts",
      "test/hostile/mfa.test.ts",
    ],
  },
  outcomes: {
    mutate: ["outcome", "app-proofs"].map((name) => `${EXECUTION}/steps/${name}.ts`),
    tests: [
      "test/signer/enclave/execution/steps/outcome.test.ts",
      "test/signer/enclave/execution/steps/outcome-reply.test.ts",
      "test/signer/enclave/execution/steps/decision-proof.test.ts",
      "test/signer/enclave/execution/steps/app-proofs.test.ts",
      "test/hostile/proven-activities.test.ts",
      "test/hostile/proven-votes.test.ts",
    ],
  },
  logins: {
    mutate: ["signer/core/stamp/fitting-keys.ts", `${EXECUTION}/steps/family-login.ts`],
    tests: [
      "test/signer/core/stamp/fitting-keys.test.ts",
      "test/signer/enclave/execution/steps/family-login.test.ts",
      "test/hostile/family-logins.test.ts",
      "test/hostile/diverted-logins.test.ts",
      "test/hostile/diverted-passkeys.test.ts",
      "test/hostile/passkey-families.test.ts",
      "test/hostile/unproven-logins.test.ts",
      "test/hostile/earlier-identities.test.ts",
      "test/hostile/attested-contacts.test.ts",
    ],
  },
  identities: {
    mutate: ["identity", "identity-tally"].map((name) => `${EXECUTION}/state/${name}.ts`),
    tests: [
      "test/signer/enclave/execution/state/identity-tally.test.ts",
      "test/signer/enclave/execution/state/identity-register.test.ts",
      "test/hostile/diverted-passkeys.test.ts",
    ],
  },
  register: {
    mutate: [`${EXECUTION}/state/identity-register.ts`],
    tests: [
      "test/signer/enclave/execution/state/identity-register.test.ts",
      "test/hostile/diverted-logins.test.ts",
      "test/hostile/diverted-passkeys.test.ts",
      "test/hostile/earlier-identities.test.ts",
      "test/hostile/identity-register.test.ts",
    ],
  },
  state: {
    mutate: [
      "archived-records",
      "credential-owner",
      "held-key",
      "issuer-keys",
      "ledger-keys",
      "organizations",
      "rollback",
      "sessions",
    ].map((name) => `${EXECUTION}/state/${name}.ts`),
    tests: [
      ...[
        "opened-organizations",
        "organizations",
        "archived-records",
        "sessions",
        "credential-owner",
        "held-key",
        "ledger-keys",
        "issuer-keys",
        "rollback",
      ].map((name) => `test/${EXECUTION}/state/${name}.test.ts`),
      "test/hostile/documents.test.ts",
      "test/hostile/records.test.ts",
      "test/hostile/record-states.test.ts",
      "test/hostile/changed-records.test.ts",
      "test/hostile/cached-keys.test.ts",
      "test/hostile/deleted-accounts.test.ts",
      "test/hostile/deleted-organizations.test.ts",
      "test/hostile/sessions.test.ts",
      "test/hostile/new-credentials.test.ts",
      "test/hostile/statements.test.ts",
      "test/hostile/client-secrets.test.ts",
      "test/hostile/rolled-back-ledger.test.ts",
    ],
  },
  request: {
    mutate: [`${EXECUTION}/state/request.ts`],
    tests: [
      "test/signer/enclave/execution/state/request.test.ts",
      "test/signer/enclave/execution/mistakes.test.ts",
      "test/hostile/misspelt-members.test.ts",
    ],
  },
  execute: {
    mutate: [`${EXECUTION}/execute.ts`],
    tests: [
      "test/signer/enclave/execution/execute.test.ts",
      "test/hostile/denied-bodies.test.ts",
      "test/hostile/large-bodies.test.ts",
      "test/hostile/compiling-in-slices.test.ts",
      "test/hostile/cold-shards.test.ts",
      "test/hostile/sub-organizations.test.ts",
      "test/hostile/velocity-buckets.test.ts",
      "test/hostile/velocity.test.ts",
      "test/hostile/votes.test.ts",
      "test/hostile/parallel.test.ts",
      "test/hostile/expired-activities.test.ts",
      "test/hostile/ended-activities.test.ts",
      "test/hostile/parent-codes.test.ts",
    ],
  },
  submission: {
    mutate: [`${EXECUTION}/submission.ts`],
    tests: [
      "test/signer/enclave/execution/submission.test.ts",
      "test/hostile/denied-bodies.test.ts",
      "test/hostile/proven-activities.test.ts",
      "test/hostile/velocity.test.ts",
      "test/hostile/mfa-sessions.test.ts",
      "test/hostile/votes.test.ts",
      "test/hostile/mfa.test.ts",
    ],
  },
  rights: {
    mutate: ["rights", "mfa-progress"].map((name) => `${EXECUTION}/voting/${name}.ts`),
    tests: [
      ...["mfa-progress", "rights", "repeated-votes"].map((name) => `${VOTING}/${name}.test.ts`),
      ...[
        "mfa",
        "changed-rules",
        "shared-votes",
        "failed-runs",
        "mfa-own-credentials",
        "lapsed-votes",
        "consensus",
      ].map((name) => `test/hostile/${name}.test.ts`),
    ],
  },
  pending: {
    mutate: ["pending", "pending-activities"].map((name) => `${EXECUTION}/voting/${name}.ts`),
    tests: [...votingTests(), "test/hostile/expired-activities.test.ts"],
  },
  vote: {
    mutate: [`${EXECUTION}/vote.ts`],
    tests: votingTests("test/signer/enclave/execution/vote.test.ts"),
  },
}
