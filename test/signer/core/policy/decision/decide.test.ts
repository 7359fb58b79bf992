import { create } from "@bufbuild/protobuf"
import t from "tap"
import { OrganizationDocumentSchema } from "../../../../../proto/gen/countersign/state/v1/document_pb.ts"
import { Organization } from "../../../../../signer/core/organization/organization.ts"
import { decide, decidingItem } from "../../../../../signer/core/policy/decision/decide.ts"
import { countVote } from "../../../../../signer/core/policy/decision/eligible-votes.ts"
import { RequestFacts } from "../../../../../signer/core/policy/facts/request-facts.ts"
import { allow, type DecisionSetup, decisionInput, voteOf } from "./fixture.ts"

const NOTHING_ALLOWED = "No policies evaluated to outcome: Allow"

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
  [
    "the root quorum imports secrets, whose keys name no user",
    "IMPORT_SECRETS",
    "ann",
    ["ann", "ben"],
    "allow",
  ],
  ["an ordinary user may not import secrets", "IMPORT_SECRETS", "dan", ["dan"], "deny"],
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

t.test("a decision says by which right it allows, and why it denies or waits", async (t) => {
  const twoOf = [allow({ consensus: "approvers.count() >= 2" })]
  const own = { type: "CREATE_API_KEYS_V2", parameters: { userId: "dan" } }
  const login = { type: "STAMP_LOGIN" }
  const rows: [DecisionSetup, object][] = [
    [{ approvers: ["ann", "ben"] }, { outcome: "allow", by: "root-quorum" }],
    [
      { approvers: ["dan"], policies: [allow()] },
      { outcome: "allow", by: "policy" },
    ],
    [
      { approvers: ["dan"], ...login },
      { outcome: "allow", by: "login" },
    ],
    [
      { approvers: ["dan", "eva"], ...login },
      { outcome: "allow", by: "login" },
    ],
    [
      { approvers: ["eva"], submitter: "dan", ...login },
      { outcome: "deny", reason: NOTHING_ALLOWED },
    ],
    [
      { approvers: ["dan"], ...own },
      { outcome: "allow", by: "own-credential" },
    ],
    [
      { approvers: ["dan", "eva"], ...own },
      { outcome: "allow", by: "own-credential" },
    ],
    [
      { approvers: ["ann"] },
      { outcome: "consensus", reason: "More members of the root quorum must approve" },
    ],
    [
      { approvers: ["dan"], policies: twoOf },
      {
        outcome: "consensus",
        reason: "A policy allows this with more approvals of the users that its consensus names",
      },
    ],
    [
      { approvers: ["dan"], type: "IMPORT_WALLET", parameters: { userId: "eva" } },
      { outcome: "deny", reason: "A user imports for themselves only: the request names another user" },
    ],
    [
      { approvers: ["dan"], type: "UPDATE_ROOT_QUORUM" },
      { outcome: "deny", reason: "Only the root quorum can do this" },
    ],
  ]
  for (const [setup, expected] of rows) t.match(decide(decisionInput(setup)), expected)
})

t.test("a decision without policies shows one item of a batch and no policy", async (t) => {
  const ofThree = (...approvers: string[]) => {
    const facts = new RequestFacts([() => undefined, () => undefined, () => undefined])
    return { ...decisionInput({ type: "SIGN_RAW_PAYLOADS", approvers }), facts }
  }
  const { items, policyOutcomes } = decide(ofThree("dan"))
  t.same(items, [{ policies: [], result: { outcome: "deny", reason: NOTHING_ALLOWED } }])
  t.same(policyOutcomes, [])
  t.same(decide(ofThree("ann", "ben")).items, [])
})

t.test("a request without items is denied", async (t) => {
  const input = { ...decisionInput({ approvers: ["dan"], policies: [allow()] }), facts: new RequestFacts([]) }
  t.same(decide(input), { outcome: "deny", reason: NOTHING_ALLOWED, policyOutcomes: [], items: [] })
  t.equal(decidingItem([]), -1)
})

t.test("the first item of a batch with the strictest result decides it", async (t) => {
  const result = {
    allow: { outcome: "allow", by: "policy" },
    consensus: { outcome: "consensus", reason: "" },
    deny: { outcome: "deny", reason: "" },
  } as const
  const deciding = (...outcomes: (keyof typeof result)[]) =>
    decidingItem(outcomes.map((outcome) => ({ result: result[outcome], policies: [] })))
  t.equal(deciding("deny", "allow", "deny"), 0)
  t.equal(deciding("allow", "consensus", "consensus"), 1)
  t.equal(deciding("allow", "consensus", "deny"), 2)
  t.equal(deciding("allow", "allow"), 0)
})

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
  t.ok(countVote(question, voteOf(question.organization, "cid")!).counts)
  t.notOk(countVote(question, voteOf(question.organization, "dan")!).counts)
})
