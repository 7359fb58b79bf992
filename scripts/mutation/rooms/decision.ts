import type { Room, Rooms } from "./room.ts"

export const decisionRooms: Rooms = {
  mfa: decisionRoom("mfa", ["mfa", "reachable-steps"]),
  decide: decisionRoom("decide", ["decide", "denials", "policies", "waiting", "own-credentials"]),
  evaluator: decisionRoom("policy-evaluator", [
    "counted-votes",
    "denials",
    "policies",
    "waiting",
    "fair-policies",
  ]),
  policies: decisionRoom("policy-set", ["policy-set", "policies", "denials"]),
  credentials: decisionRoom("credentials", ["credentials", "approvers"]),
  search: decisionRoom("consensus-search", ["combinations", "pending-consensus"]),
  consensus: decisionRoom("pending-consensus", [
    "fair-policies",
    "pending-consensus",
    "waiting",
    "counted-votes",
    "policies",
  ]),
}

/** One file of the decision, with its tests. */
function decisionRoom(file: string, tests: readonly string[]): Room {
  const folder = "core/policy/decision"
  return {
    mutate: [`signer/${folder}/${file}.ts`],
    tests: tests.map((name) => `test/signer/${folder}/${name}.test.ts`),
  }
}
