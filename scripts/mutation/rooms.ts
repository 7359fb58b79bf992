/** Files with guards that are mutated together, and the tests that must notice each change. */
export type Room = {
  /** Globs, relative to the repository. */
  readonly mutate: readonly string[]
  /** Test files; they run in one process in this order, and a mutant ends the run at the first test that fails. */
  readonly tests: readonly string[]
}

const EXECUTION = "signer/enclave/execution"

const VOTING_TESTS = [
  "test/signer/enclave/execution/voting/pending.test.ts",
  "test/signer/enclave/execution/voting/pending-activities.test.ts",
  "test/hostile/votes.test.ts",
  "test/hostile/consensus.test.ts",
  "test/hostile/mfa.test.ts",
  "test/hostile/mfa-own-credentials.test.ts",
  "test/hostile/mfa-stolen-keys.test.ts",
  "test/hostile/readded-keys.test.ts",
  "test/hostile/lapsed-votes.test.ts",
  "test/hostile/proven-votes.test.ts",
  "test/hostile/changed-rules.test.ts",
  "test/hostile/shared-votes.test.ts",
  "test/hostile/expired-voters.test.ts",
  "test/hostile/failed-runs.test.ts",
  "test/signer/enclave/execution/voting/final-refusals.test.ts",
]

/** The guards of the enclave. Each room needs under ten minutes on two cores. */
export const rooms: { readonly [name: string]: Room } = {
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
  locks: {
    mutate: [`${EXECUTION}/steps/locks.ts`],
    tests: ["test/signer/enclave/execution/steps/locks.test.ts"],
  },
  decision: {
    mutate: ["signer/core/policy/decision/*.ts"],
    tests: [
      "test/signer/core/policy/decision/decide.test.ts",
      "test/signer/core/policy/decision/approvers.test.ts",
      "test/signer/core/policy/decision/policies.test.ts",
      "test/signer/core/policy/decision/denials.test.ts",
      "test/signer/core/policy/decision/mfa.test.ts",
      "test/signer/core/policy/decision/consensus-search.test.ts",
      "test/signer/core/policy/decision/consensus-classes.test.ts",
      "test/signer/core/policy/decision/pending-consensus.test.ts",
      "test/signer/core/policy/decision/operand-order.test.ts",
    ],
  },
  ledger: {
    mutate: ["signer/enclave/ledger/*.ts"],
    tests: [
      "test/signer/enclave/ledger/ledger.test.ts",
      "test/signer/enclave/ledger/group-commit.test.ts",
      "test/signer/enclave/ledger/trusted-clock.test.ts",
      "test/signer/enclave/ledger/rollback.test.ts",
      "test/signer/enclave/ledger/damage.test.ts",
      "test/signer/enclave/ledger/create-ledger.test.ts",
      "test/signer/enclave/ledger/overflow.test.ts",
      "test/signer/enclave/ledger/cache.test.ts",
    ],
  },
  steps: {
    mutate: ["authenticate", "replay", "commit", "decision-input"].map(
      (name) => `${EXECUTION}/steps/${name}.ts`,
    ),
    tests: [
      "test/signer/enclave/execution/steps/authenticate.test.ts",
      "test/hostile/family-logins.test.ts",
      "test/hostile/sub-organizations.test.ts",
      "test/hostile/acknowledgements.test.ts",
      "test/hostile/session-scopes.test.ts",
      "test/hostile/sessions.test.ts",
      "test/hostile/votes.test.ts",
      "test/hostile/ended-activities.test.ts",
      "test/hostile/replayed-exports.test.ts",
    ],
  },
  outcomes: {
    mutate: ["outcome", "app-proofs"].map((name) => `${EXECUTION}/steps/${name}.ts`),
    tests: [
      "test/signer/enclave/execution/steps/outcome.test.ts",
      "test/signer/enclave/execution/steps/app-proofs.test.ts",
      "test/hostile/proven-activities.test.ts",
      "test/hostile/proven-votes.test.ts",
    ],
  },
  voting: {
    mutate: [`${EXECUTION}/voting/*.ts`],
    tests: VOTING_TESTS,
  },
  vote: {
    mutate: [`${EXECUTION}/vote.ts`],
    tests: VOTING_TESTS,
  },
}
