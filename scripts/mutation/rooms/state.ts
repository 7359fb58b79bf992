import type { Rooms } from "./room.ts"

const EXECUTION = "signer/enclave/execution"

export const stateRooms: Rooms = {
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
}
