// `policy create --file`: a policy in YAML or JSON, with names in place of ids.
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import t, { type Test } from "tap"
import { generateApiKey } from "../../../services/terminal-client/api-key.ts"
import { bindKey, writeKey } from "../../../services/terminal-client/key-folder.ts"
import { packageRoot } from "../../../services/terminal-client/settings.ts"
import { commandLine } from "./command-line.ts"
import { fakeApi } from "./fake-api.ts"

const SUBMIT = "/public/v1/submit/create_policy"
const EXAMPLE = join(packageRoot, "examples", "two-of-treasury.yaml")
const [ALICE, BOB] = ["019b76da-a800-7000-8000-00000000000a", "019b76da-a800-7000-8000-00000000000b"]
const USERS = [
  { userId: ALICE, userName: "alice" },
  { userId: BOB, userName: "bob" },
  { userId: "019b76da-a800-7000-8000-00000000000c", userName: "carol" },
  { userId: "019b76da-a800-7000-8000-00000000000d", userName: "carol" },
]

async function setup(t: Test) {
  const COUNTERSIGN_DATA_DIR = t.testdir()
  const keys = join(COUNTERSIGN_DATA_DIR, "keys")
  await writeKey(keys, "root", generateApiKey())
  await bindKey(keys, "root", "org-1")
  const result = { createPolicyResult: { policyId: "019b76da-a800-7000-8000-000000000001" } }
  const shown = { id: "a-1", organizationId: "org-1", status: "ACTIVITY_STATUS_COMPLETED" }
  const api = await fakeApi(t, {
    [SUBMIT]: { reply: { activity: { ...shown, result } } },
    "/public/v1/query/list_users": { reply: { users: USERS } },
    "/public/v1/query/list_user_tags": { reply: { userTags: [] } },
  })
  const file = (text: string) => {
    const path = join(COUNTERSIGN_DATA_DIR, "policy")
    writeFileSync(path, text)
    return path
  }
  const create = (path: string, ...words: string[]) =>
    commandLine(
      { COUNTERSIGN_DATA_DIR },
      "policy",
      "create",
      "two-of-treasury",
      "--file",
      path,
      "--api",
      api.url,
      ...words,
    )
  const sent = () =>
    api.seen.filter(({ path }) => path === SUBMIT).map(({ body }) => JSON.parse(body).parameters as object)
  return { create, file, sent }
}

t.test("the example's names become ids, which are printed", async (t) => {
  const { create, sent } = await setup(t)
  const dry = await create(EXAMPLE, "--dry-run")
  t.match(dry, { status: 0, log: `@user:alice -> ${ALICE}\n@user:bob -> ${BOB}` })
  t.strictSame(sent(), [])
  t.match(await create(EXAMPLE), { status: 0, out: /^created policy two-of-treasury / })
  t.strictSame(sent(), [
    {
      policyName: "two-of-treasury",
      effect: "EFFECT_ALLOW",
      condition: "activity.type == 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2'",
      consensus: `approvers.any(user, user.id == '${ALICE}') && approvers.any(user, user.id == '${BOB}')`,
      notes: "Signatures need alice and bob.",
    },
  ])
})

t.test("JSON is read as before, and options override a file in YAML", async (t) => {
  const { create, file, sent } = await setup(t)
  const policy = { effect: "EFFECT_ALLOW", condition: "true", consensus: "true", notes: "" }
  t.match(await create(file(JSON.stringify(policy))), { status: 0 })
  t.match(await create(file("effect: EFFECT_ALLOW\ncondition: 'true'\nnotes: ''\n"), "--effect", "deny"), {
    status: 0,
  })
  t.match(sent(), [
    { ...policy, policyName: "two-of-treasury" },
    { effect: "EFFECT_DENY", condition: "true" },
  ])
})

t.test("a file with mistakes is refused before anything is stamped", async (t) => {
  const { create, file, sent } = await setup(t)
  const faults: [string, RegExp][] = [
    ["effect: EFFECT_ALLOW\neffect: EFFECT_DENY\n", /policy:2:1: Map keys must be unique/],
    ["effect: [", /policy:1:10: /],
    ["- effect", /policy:1:1: the file is not an object in YAML or JSON/],
    ["{", /policy:1:2: /],
    [
      "effect: EFFECT_ALLOW\ncondition: \"wallet.id == '@wallet'\"\nconsenus: 'true'\n",
      /policy:3:1: consenus is unknown; did you mean consensus\?/,
    ],
    ["consensus: approvers.any(u, u.id == '@user:dave')\n", /policy:1:12: @user:dave stands for nothing/],
    ["consensus: approvers.any(u, u.id == '@user:carol')\n", /@user:carol fits several/],
    ["consensus: approvers.any(u, u.id == '@user:ali')\n", /@user:ali stands for nothing/],
    [
      "consensus: approvers.any(u, u.tags.contains('@tag:x') || u.id == '@user:dave')\n",
      /@tag:x[^]*@user:dave/,
    ],
  ]
  for (const [text, log] of faults) t.match(await create(file(text)), { status: 2, out: "", log }, text)
  t.match(await create("no-such-file"), {
    status: 2,
    log: /no-such-file cannot be read \(ENOENT\); name a file in YAML or JSON/,
  })
  t.strictSame(sent(), [])
})
