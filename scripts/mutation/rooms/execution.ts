import type { Rooms } from "./room.ts"

const EXECUTION = "signer/enclave/execution"

/** Entrances and steps of an order. */
export const executionRooms: Rooms = {
  locks: {
    mutate: [`${EXECUTION}/steps/locks.ts`],
    tests: ["test/signer/enclave/execution/steps/locks.test.ts"],
  },
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
}
