// An API that shows approvers another activity than the one that they name, or names that stand for something else.
import { createHash } from "node:crypto"
import { join } from "node:path"
import t, { type Test } from "tap"
import { type ApiKey, generateApiKey, stamp } from "../../../services/cli/api-key.ts"
import { bindKey, writeKey } from "../../../services/cli/key-folder.ts"
import { commandLine } from "./command-line.ts"
import { fakeApi } from "./fake-api.ts"

const id = (digit: number) => `0198c0de-0000-7000-8000-00000000000${digit}`
const [ORGANIZATION, ALICE, MALLORY] = [id(1), id(2), id(3)]

/** A genuine stamped request that waits, as the API shows it. */
function waiting(key: ApiKey, type: string, intent: string, parameters: object) {
  const body = JSON.stringify({
    type: `ACTIVITY_TYPE_${type}`,
    timestampMs: String(Date.now()),
    organizationId: ORGANIZATION,
    parameters,
  })
  const { publicKey, scheme, signature } = JSON.parse(
    Buffer.from(stamp(key, body), "base64url").toString(),
  ) as { [member: string]: string }
  const vote = { userId: ALICE, user: { userId: ALICE, userName: "alice" }, activityId: id(9), message: body }
  return {
    id: id(9),
    organizationId: ORGANIZATION,
    type: `ACTIVITY_TYPE_${type}`,
    status: "ACTIVITY_STATUS_CONSENSUS_NEEDED",
    fingerprint: `sha256:${createHash("sha256").update(body).digest("hex")}`,
    intent: { [intent]: parameters },
    result: {},
    votes: [
      {
        ...vote,
        selection: "VOTE_SELECTION_APPROVED",
        publicKey,
        scheme,
        signature,
        createdAt: "2026-11-24T12:00:00Z",
      },
    ],
  }
}

type Shown = ReturnType<typeof waiting>

/** Runs a command against an API that lists these activities and users. */
async function against(t: Test, activities: readonly Shown[], users: object[]) {
  const COUNTERSIGN_DATA_DIR = t.testdir()
  const keys = join(COUNTERSIGN_DATA_DIR, "keys")
  await writeKey(keys, "bob", generateApiKey())
  await bindKey(keys, "bob", ORGANIZATION)
  const lists = [
    "list_wallets",
    "list_policies",
    "list_private_keys",
    "list_user_tags",
    "list_wallet_accounts",
  ]
  const api = await fakeApi(t, {
    ...Object.fromEntries(lists.map((path) => [`/public/v1/query/${path}`, { reply: {} }])),
    "/public/v1/query/list_users": { reply: { users } },
    "/public/v1/query/list_activities": { reply: { activities } },
    "/public/v1/query/get_activity": { reply: { activity: activities[0] } },
    "/public/v1/query/simulate_policies": { reply: { voterIds: [MALLORY] } },
    "/public/v1/query/get_organization_configs": { reply: { configs: { quorum: { userIds: [] } } } },
    "/public/v1/submit/approve_activity": { reply: { activity: activities[0] } },
  })
  const call = (...words: string[]) =>
    commandLine({ COUNTERSIGN_DATA_DIR }, ...words, "--as", "bob", "--api", api.url)
  const submitted = () => api.seen.filter(({ path }) => path.includes("/submit/")).map(({ body }) => body)
  return { call, submitted }
}

const users = [
  { userId: ALICE, userName: "alice" },
  { userId: MALLORY, userName: "bob" },
]

t.test(
  "W20: a whole fingerprint approves the activity that it is the digest of, whatever ids the API shows",
  async (t) => {
    const key = generateApiKey()
    const [wanted, other] = [
      waiting(key, "CREATE_USER_TAG", "createUserTagIntent", { userTagName: "ops", userIds: [] }),
      waiting(key, "DELETE_USERS", "deleteUsersIntent", { userIds: [ALICE] }),
    ]
    const digest = wanted.fingerprint.replace("sha256:", "")
    for (const text of [wanted.fingerprint, digest]) {
      const named = [digest, wanted.fingerprint].map((shown) => {
        const vote = { ...other.votes[0], activityId: shown }
        return { ...other, id: shown, votes: [vote] } as Shown
      })
      const lied = await against(t, named, users)
      t.match(await lied.call("approve", text, "--yes"), { status: 2, log: /there is no waiting activity/ })
      t.same(lied.submitted(), [])
      const honest = await against(t, [wanted, other], users)
      await honest.call("approve", text, "--yes")
      t.match(honest.submitted(), [`"fingerprint":"${wanted.fingerprint}"`])
    }
  },
)

t.test("W20: the whole stamped request is shown, with the ids that names of the API stand for", async (t) => {
  const quorum = { threshold: 1, userIds: [MALLORY] }
  const shown = waiting(generateApiKey(), "UPDATE_ROOT_QUORUM", "updateRootQuorumIntent", quorum)
  const { call } = await against(t, [shown], users)
  const { log } = await call("approve", shown.fingerprint, "--dry-run")
  t.match(log, `[alice] ${ALICE} asks: Make the root quorum 1 of 1: [bob] ${MALLORY}\n`)
  t.match(log, "names in [brackets] are the API's")
  t.match(
    log,
    /all members of the request:\n {4}Threshold +1\n {4}User ids 1 +\[bob\] 0198c0de-0000-7000-8000-000000000003\n/,
  )
  const policy = {
    policyName: "small\n  payments\u202e",
    effect: "EFFECT_ALLOW",
    consensus: "true",
    condition: "true\n  fingerprint sha256:0",
    notes: "",
  }
  const hidden = waiting(generateApiKey(), "CREATE_POLICY_V3", "createPolicyIntentV3", policy)
  const drawn = await (await against(t, [hidden], users)).call("approve", hidden.fingerprint, "--dry-run")
  t.match(drawn.log, '"small\\n  payments\\u202e"')
  t.match(drawn.log, /Condition\n {6}\| true\n {6}\| {3}fingerprint sha256:0\n/)
  t.notMatch(drawn.log, /\u202e|^ {2}payments/m)
  t.equal(drawn.log.match(/^ {2}fingerprint /gm)?.length, 1)
})

t.test("W29: members that the signer ignores are told as ignored, and are in no other line", async (t) => {
  const parameters = { threshold: 1, user_ids: [MALLORY], note: "harmless" }
  const clean = { threshold: 1, userIds: [MALLORY] }
  const key = generateApiKey()
  const shown = {
    ...waiting(key, "UPDATE_ROOT_QUORUM", "updateRootQuorumIntent", parameters),
    intent: { updateRootQuorumIntent: clean },
  }
  const { call } = await against(t, [shown], users)
  const { log } = await call("approve", shown.fingerprint, "--dry-run")
  t.match(log, `asks: Make the root quorum 1 of 1: [bob] ${MALLORY}\n`)
  t.match(log, "the signer ignores: parameters.note\n")
  t.notMatch(log, "harmless")
  const list = await call("activity", "list")
  t.match(list.out, `Make the root quorum 1 of 1: [bob] ${MALLORY}`)
})

t.test("W29: a list shows the stamped requests: what the API shows beside them is in no line", async (t) => {
  const key = generateApiKey()
  const stamped = waiting(key, "DELETE_USERS", "deleteUsersIntent", { userIds: [ALICE] })
  const lied = { ...stamped, intent: { deleteUsersIntent: { userIds: [MALLORY] } } }
  const { out } = await (await against(t, [lied], users)).call("activity", "list")
  t.match(out, "Delete users: the API shows another request than the stamped one")
  t.notMatch(out, MALLORY)
})

t.test("W20: a name is one word of the command that is printed", async (t) => {
  const shown = waiting(generateApiKey(), "CREATE_USER_TAG", "createUserTagIntent", {
    userTagName: "ops",
    userIds: [],
  })
  const mallory = { userId: MALLORY, userName: "x; touch owned; echo 'y" }
  const { call } = await against(t, [shown], [users[0] as object, mallory])
  const { status, log } = await call("approve", shown.fingerprint, "--yes")
  t.equal(status, 4)
  t.match(log, `--as 'x; touch owned; echo '\\''y'`)
})
