// An API that answers otherwise after a plan was shown and confirmed: nothing is stamped that was not in the plan.
import { createHash } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import t, { type Test } from "tap"
import { generateApiKey } from "../../../services/terminal-client/api-key.ts"
import { bindKey, writeKey } from "../../../services/terminal-client/key-folder.ts"
import { commandLine } from "./command-line.ts"
import { fakeApi } from "./fake-api.ts"
import { ORGANIZATION, organizationAnswers, root } from "./organization-answers.ts"

const id = (digit: number) => `0198c0de-0000-7000-8000-00000000000${digit}`
const [BOB, TAG, WALLET_KEY] = [id(3), id(4), id(5)]
const KEY = `02${"ab".repeat(32)}`

const bob = { ...root, userId: BOB, userName: "bob" }
const tag = (tagId: string, tagName: string) => ({ tagId, tagName, tagType: "TAG_TYPE_USER" })

const FILE = "version: 1\nuserTags: [ops]\nusers:\n  - userName: root\n    userTags: [ops]\n    apiKeys: []\n"

/** The organization as the API shows it, before and after a change. */
type Shown = { users: object[]; tags: object[] }

/** Runs `config apply --prune` against an API that shows one organization, and then another. */
async function apply(t: Test, before: Shown, after: Shown, waiting: readonly object[] = []) {
  const COUNTERSIGN_DATA_DIR = t.testdir()
  const folder = join(COUNTERSIGN_DATA_DIR, "keys")
  await writeKey(folder, "root", generateApiKey())
  await bindKey(folder, "root", ORGANIZATION)
  const file = join(COUNTERSIGN_DATA_DIR, "o.yaml")
  writeFileSync(file, FILE)
  let now = before
  const completed = (type: string) => () => {
    now = after
    const activity = { id: id(6), organizationId: ORGANIZATION, result: {}, type }
    return { reply: { activity: { ...activity, status: "ACTIVITY_STATUS_COMPLETED" } } }
  }
  const api = await fakeApi(t, {
    ...organizationAnswers(() => now),
    "/public/v1/query/list_activities": (body) => ({
      reply: { activities: body.includes("after") ? [] : waiting },
    }),
    "/public/v1/submit/create_user_tag": completed("ACTIVITY_TYPE_CREATE_USER_TAG"),
    "/public/v1/submit/update_user": completed("ACTIVITY_TYPE_UPDATE_USER"),
    "/public/v1/submit/delete_users": completed("ACTIVITY_TYPE_DELETE_USERS"),
    "/public/v1/submit/delete_user_tags": completed("ACTIVITY_TYPE_DELETE_USER_TAGS"),
    "/public/v1/submit/delete_api_keys": completed("ACTIVITY_TYPE_DELETE_API_KEYS"),
  })
  const words = ["config", "apply", file, "--prune", "--yes", "--api", api.url]
  const ended = await commandLine({ COUNTERSIGN_DATA_DIR }, ...words)
  const submitted = api.seen
    .filter(({ path }) => path.includes("/submit/"))
    .map(({ path }) => path.split("/").at(-1))
  return { ...ended, submitted }
}

const made = [tag(TAG, "ops")]
const tagged = { ...root, userTags: [TAG] }

t.test("W21: a user who appears after the plan was confirmed is not deleted", async (t) => {
  const ended = await apply(t, { users: [root], tags: [] }, { users: [tagged, bob], tags: made })
  t.match(ended, { status: 6, log: /shows another organization than before: "delete user bob" was not in/ })
  t.same(ended.submitted, ["create_user_tag"])
})

t.test("W21: neither is a tag, nor a credential of a user whom the plan changes", async (t) => {
  const other = await apply(
    t,
    { users: [root], tags: [] },
    { users: [tagged], tags: [...made, tag(WALLET_KEY, "treasury")] },
  )
  t.match(other, { status: 6, log: /"delete user tag treasury" was not in the plan/ })
  const credential = { type: "CREDENTIAL_TYPE_API_KEY_P256", publicKey: KEY }
  const apiKeys = [{ apiKeyId: id(7), apiKeyName: "laptop", credential }]
  const key = await apply(t, { users: [root], tags: [] }, { users: [{ ...root, apiKeys }], tags: made })
  t.match(key, { status: 6, log: /"update user root" was not in the plan with all that it takes away/ })
  t.same([...other.submitted, ...key.submitted], ["create_user_tag", "create_user_tag"])
})

t.test("W21: what the plan had is done over several rounds", async (t) => {
  const ended = await apply(t, { users: [root], tags: [] }, { users: [tagged], tags: made })
  t.match(ended, { status: 0, out: /the organization is as .*o\.yaml says/ })
  t.same(ended.submitted, ["create_user_tag"])
})

t.test(
  "W24: a waiting activity that says it is a change of the plan, and was stamped as another, is no change",
  async (t) => {
    const parameters = { userTagName: "ops", userIds: [] }
    const type = "ACTIVITY_TYPE_CREATE_USER_TAG"
    const message = JSON.stringify({
      type: "ACTIVITY_TYPE_DELETE_USERS",
      timestampMs: "1767225600000",
      organizationId: ORGANIZATION,
      parameters: { userIds: [root.userId] },
    })
    const lie = {
      id: id(8),
      organizationId: ORGANIZATION,
      type,
      status: "ACTIVITY_STATUS_CONSENSUS_NEEDED",
      fingerprint: `sha256:${createHash("sha256").update(message).digest("hex")}`,
      intent: { createUserTagIntent: parameters },
      result: {},
      votes: [{ userId: root.userId, message }],
    }
    const ended = await apply(t, { users: [root], tags: [] }, { users: [tagged], tags: made }, [lie])
    t.match(ended, { status: 6, log: /is not what its users stamped.*Do not approve it/ })
    t.notMatch(ended.log + ended.out, lie.fingerprint)
    t.same(ended.submitted, [])
  },
)
