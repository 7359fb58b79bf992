// An API that shows approvers another activity than the one that they name, or names that stand for something else.
import { join } from "node:path"
import t, { type Test } from "tap"
import { generateApiKey } from "../../../services/terminal-client/api-key.ts"
import { bindKey, writeKey } from "../../../services/terminal-client/key-folder.ts"
import {
  ALICE,
  alterations,
  MALLORY,
  ORGANIZATION,
  type WaitingActivity,
  waitingActivity,
} from "../../harness/altered-activity.ts"
import { commandLine } from "./command-line.ts"
import { fakeApi } from "./fake-api.ts"

/** Runs a command against an API that lists these activities and users. */
async function against(t: Test, activities: readonly WaitingActivity[], users: object[]) {
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
      waitingActivity(key, "CREATE_USER_TAG", "createUserTagIntent", { userTagName: "ops", userIds: [] }),
      waitingActivity(key, "DELETE_USERS", "deleteUsersIntent", { userIds: [ALICE] }),
    ]
    const digest = wanted.fingerprint.replace("sha256:", "")
    for (const text of [wanted.fingerprint, digest]) {
      const named = [digest, wanted.fingerprint].map((shown) => {
        const vote = { ...other.votes[0], activityId: shown }
        return { ...other, id: shown, votes: [vote] } as WaitingActivity
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

t.test(
  "W20: a request that the API alters in any part is not approved, and an unaltered one is",
  async (t) => {
    const tag = (userTagName: string, userIds: readonly string[] = []) =>
      waitingActivity(generateApiKey(), "CREATE_USER_TAG", "createUserTagIntent", { userTagName, userIds })
    const [genuine, other] = [tag("one cent"), tag("all of it", [MALLORY])]
    const approve = async (shown: object) => {
      const { call, submitted } = await against(t, [shown as WaitingActivity], users)
      const { status } = await call("approve", genuine.fingerprint, "--yes")
      return { status, submitted: submitted() }
    }
    t.match((await approve(genuine)).submitted, [`"fingerprint":"${genuine.fingerprint}"`])
    for (const [part, altered] of alterations(genuine, other)) {
      const { status, submitted } = await approve(altered)
      t.ok(status === 6 || status === 2, `${part}: ${status}`)
      t.same(submitted, [], part)
    }
  },
)

t.test("W20: the whole stamped request is shown, with the ids that names of the API stand for", async (t) => {
  const quorum = { threshold: 1, userIds: [MALLORY] }
  const shown = waitingActivity(generateApiKey(), "UPDATE_ROOT_QUORUM", "updateRootQuorumIntent", quorum)
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
  const hidden = waitingActivity(generateApiKey(), "CREATE_POLICY_V3", "createPolicyIntentV3", policy)
  const drawn = await (await against(t, [hidden], users)).call("approve", hidden.fingerprint, "--dry-run")
  t.match(drawn.log, '"small\\n  payments\\u202e"')
  t.match(drawn.log, /Condition\n {6}\| true\n {6}\| {3}fingerprint sha256:0\n/)
  t.notMatch(drawn.log, /\u202e|^ {2}payments/m)
  t.equal(drawn.log.match(/^ {2}fingerprint /gm)?.length, 1)
})

t.test("W29: members that the signer ignores are listed as ignored, and are in no other line", async (t) => {
  const parameters = { threshold: 1, user_ids: [MALLORY], note: "harmless" }
  const clean = { threshold: 1, userIds: [MALLORY] }
  const key = generateApiKey()
  const shown = {
    ...waitingActivity(key, "UPDATE_ROOT_QUORUM", "updateRootQuorumIntent", parameters),
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
  const stamped = waitingActivity(key, "DELETE_USERS", "deleteUsersIntent", { userIds: [ALICE] })
  const lied = { ...stamped, intent: { deleteUsersIntent: { userIds: [MALLORY] } } }
  const { out } = await (await against(t, [lied], users)).call("activity", "list")
  t.match(out, "Delete users: the API shows another request than the stamped one")
  t.notMatch(out, MALLORY)
})

t.test("W20: a name is one word of the command that is printed", async (t) => {
  const shown = waitingActivity(generateApiKey(), "CREATE_USER_TAG", "createUserTagIntent", {
    userTagName: "ops",
    userIds: [],
  })
  const mallory = { userId: MALLORY, userName: "x; touch owned; echo 'y" }
  const { call } = await against(t, [shown], [users[0] as object, mallory])
  const { status, log } = await call("approve", shown.fingerprint, "--yes")
  t.equal(status, 4)
  t.match(log, `--as 'x; touch owned; echo '\\''y'`)
})
