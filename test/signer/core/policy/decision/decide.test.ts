import { create } from "@bufbuild/protobuf"
import t from "tap"
import { OrganizationDocumentSchema } from "../../../../../proto/gen/countersign/state/v1/document_pb.ts"
import { Organization } from "../../../../../signer/core/organization/organization.ts"
import { decide } from "../../../../../signer/core/policy/decision/decide.ts"
import { countsVote } from "../../../../../signer/core/policy/decision/policy-evaluator.ts"
import { decisionInput, voteOf } from "./fixture.ts"

/** Root quorum: two of ann, ben, cid; dan is an ordinary user; gus has left. No policies. */
const ROWS: readonly [
  title: string,
  type: string,
  submitter: string,
  approvers: string[],
  outcome: string,
  own?: string,
][] = [
  ["two members of the root quorum pass", "CREATE_WALLET", "ann", ["ann", "ben"], "allow"],
  ["two members pass what is theirs alone", "UPDATE_ROOT_QUORUM", "ann", ["ann", "ben"], "allow"],
  ["one member waits", "CREATE_WALLET", "ann", ["ann"], "consensus"],
  ["one member waits with what is theirs alone", "UPDATE_ROOT_QUORUM", "ann", ["ann"], "consensus"],
  ["a member counted twice still waits", "CREATE_WALLET", "ann", ["ann", "ann"], "consensus"],
  ["a member and an ordinary user wait", "CREATE_WALLET", "ann", ["ann", "dan"], "consensus"],
  ["a member and one who has left wait", "CREATE_WALLET", "ann", ["ann", "gus"], "consensus"],
  ["an ordinary user is denied", "CREATE_WALLET", "dan", ["dan"], "deny"],
  ["an ordinary user is denied a signature", "SIGN_RAW_PAYLOAD_V2", "dan", ["dan"], "deny"],
  ["an ordinary user is denied what only the quorum may do", "UPDATE_ROOT_QUORUM", "dan", ["dan"], "deny"],
  [
    "members can still pass what an ordinary user submitted",
    "CREATE_WALLET",
    "dan",
    ["dan", "ann", "ben"],
    "allow",
  ],
  ["an ordinary user may add a key of their own", "CREATE_API_KEYS_V2", "dan", ["dan"], "allow", "dan"],
  ["an ordinary user may remove a key of their own", "DELETE_API_KEYS", "dan", ["dan"], "allow", "dan"],
  ["not once their approval no longer counts", "CREATE_API_KEYS_V2", "dan", ["eva"], "deny", "dan"],
  ["an ordinary user may not add a key for another", "CREATE_API_KEYS_V2", "dan", ["dan"], "deny", "ann"],
  ["a member waits even with a key of their own", "CREATE_API_KEYS_V2", "ann", ["ann"], "consensus", "ann"],
  ["anybody may log in", "STAMP_LOGIN", "dan", ["dan"], "allow"],
  ["a member logs in without the others", "STAMP_LOGIN", "ann", ["ann"], "allow"],
  ["a member may import for themselves", "IMPORT_WALLET", "ann", ["ann", "ben"], "allow", "ann"],
  [
    "the user's own id may be written in capitals",
    "INIT_IMPORT_WALLET",
    "ann",
    ["ann", "ben"],
    "allow",
    "ANN",
  ],
  ["no user imports for another", "IMPORT_PRIVATE_KEY", "ann", ["ann", "ben"], "deny", "ben"],
  ["no user starts an import for another", "INIT_IMPORT_PRIVATE_KEY", "ann", ["ann", "ben"], "deny", "ben"],
  ["an import without user is denied", "IMPORT_WALLET", "ann", ["ann", "ben"], "deny"],
  ["an ordinary user may not import for themselves", "IMPORT_WALLET", "dan", ["dan"], "deny", "dan"],
  [
    "the user's own id among other parameters gives no right",
    "CREATE_USERS_V4",
    "dan",
    ["dan"],
    "deny",
    "dan",
  ],
]

for (const [title, type, submitter, approvers, outcome, userId] of ROWS) {
  t.test(title, async (t) => {
    const parameters = userId === undefined ? {} : { userId }
    const decision = decide(decisionInput({ type, parameters, submitter, approvers }))
    t.equal(decision.outcome, outcome)
    t.same(decision.policyOutcomes, [], "there are no policies")
  })
}

t.test("a quorum without threshold is never met", async (t) => {
  const broken = new Organization(
    create(OrganizationDocumentSchema, {
      users: [{ userId: "ann" }],
      rootQuorum: { threshold: 0, userIds: ["ann"] },
    }),
    new Uint8Array(32),
    0,
  )
  t.notOk(broken.isRootQuorum(["ann"]))
  t.notOk(broken.isRootQuorum([]))
})

t.test("without policies only votes of the root quorum count", async (t) => {
  const question = decisionInput({ approvers: ["ann"] })
  t.ok(countsVote(question, voteOf(question.organization, "cid")!))
  t.notOk(countsVote(question, voteOf(question.organization, "dan")!))
})
