import type { Rooms } from "./room.ts"

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

export const votingRooms: Rooms = {
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
