// Mistakes in the file of an organization: each with its place, what is expected, and the name that was probably meant.
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import t, { type Test } from "tap"
import { generateApiKey } from "../../../services/terminal-client/api-key.ts"
import { bindKey, writeKey } from "../../../services/terminal-client/key-folder.ts"
import { commandLine } from "./command-line.ts"
import { fakeApi } from "./fake-api.ts"
import { ORGANIZATION, organizationAnswers } from "./organization-answers.ts"

const TAG = "0198c0de-0000-7000-8000-000000000003"
const answers = organizationAnswers(() => ({
  tags: [{ tagId: TAG, tagName: "treasury", tagType: "TAG_TYPE_USER" }],
}))

/** Runs `config apply` with a file against an API that refuses to be sent anything. */
async function apply(t: Test, text: string, ...words: string[]) {
  const COUNTERSIGN_DATA_DIR = t.testdir()
  const folder = join(COUNTERSIGN_DATA_DIR, "keys")
  await writeKey(folder, "root", generateApiKey())
  await bindKey(folder, "root", ORGANIZATION)
  const file = join(COUNTERSIGN_DATA_DIR, "o.yaml")
  writeFileSync(file, text)
  const api = await fakeApi(t, answers)
  const all = words.length === 0 ? ["--yes"] : words
  const ended = await commandLine({ COUNTERSIGN_DATA_DIR }, "config", "apply", file, ...all, "--api", api.url)
  const log = ended.log.replaceAll(`${file}:`, "o.yaml:")
  return { ...ended, log, submitted: api.seen.filter(({ path }) => path.includes("/submit/")) }
}

const KEY = `02${"ab".repeat(32)}`

/** Files with one mistake each, and the error about it. */
const MISTAKES: [title: string, text: string, log: string | RegExp][] = [
  ["no YAML", "version: 1\nusers: [", /o\.yaml:2:\d+: .*flow/i],
  ["a member twice", "version: 1\nversion: 1\n", "o.yaml:2:1: Map keys must be unique"],
  ["no version", "users: []\n", "o.yaml:1:1: version is missing; must be 1"],
  ["another version", "version: 2\n", "o.yaml:1:10: version must be 1, the format that this release reads"],
  [
    "a misspelt section",
    "version: 1\npolices: []\n",
    "o.yaml:2:1: polices is unknown; did you mean policies?",
  ],
  [
    "a misspelt member",
    "version: 1\npolicies:\n  - policyName: a\n    effect: EFFECT_ALLOW\n    conditon: 'true'\n",
    "o.yaml:5:5: policies[0].conditon is unknown; did you mean condition?",
  ],
  [
    "a misspelt value",
    "version: 1\npolicies:\n  - policyName: a\n    effect: EFFECT_ALOW\n",
    'o.yaml:4:13: policies[0].effect must be EFFECT_ALLOW or EFFECT_DENY, not "EFFECT_ALOW"; did you mean EFFECT_ALLOW?',
  ],
  [
    "a misspelt feature",
    "version: 1\nfeatures:\n  FEATURE_NAME_STRICT_DENI: true\n",
    "o.yaml:3:3: features.FEATURE_NAME_STRICT_DENI is unknown; did you mean FEATURE_NAME_STRICT_DENY?",
  ],
  [
    "a missing member",
    "version: 1\nusers:\n  - apiKeys: []\n",
    "o.yaml:3:5: users[0].userName is missing; must be text",
  ],
  [
    "a number in place of text",
    "version: 1\nusers:\n  - userName: a\n    userPhoneNumber: +15551234567\n",
    /o\.yaml:4:22: users\[0\]\.userPhoneNumber must be .*; write it in quotes/,
  ],
  [
    "a text of the wrong form",
    "version: 1\nusers:\n  - userName: a\n    userEmail: nowhere\n",
    "o.yaml:4:16: users[0].userEmail must be an e-mail address",
  ],
  [
    "a broken key",
    "version: 1\nusers:\n  - userName: a\n    apiKeys:\n      - apiKeyName: a\n        publicKey: 0x02ab\n",
    /o\.yaml:6:20: users\[0\]\.apiKeys\[0\]\.publicKey must be /,
  ],
  [
    "a name twice",
    "version: 1\nuserTags: [a, b, a]\n",
    'o.yaml:2:18: userTags[2] is "a" a second time; each has to be unique',
  ],
  [
    "a key of two users",
    `version: 1\nusers:\n  - {userName: a, apiKeys: [{apiKeyName: a, publicKey: ${KEY}}]}\n  - {userName: b, apiKeys: [{apiKeyName: b, publicKey: ${KEY}}]}\n`,
    /o\.yaml:4:\d+: users\[1\]\.apiKeys\[0\]\.publicKey is "02abab.*a second time/,
  ],
  [
    "a tag that does not exist",
    "version: 1\nusers:\n  - userName: root\n    userTags: [tresury]\n",
    'o.yaml:4:16: users[0].userTags[0] names the user tag "tresury", which does not exist; did you mean "treasury"?',
  ],
  [
    "a user of an expression who does not exist",
    "version: 1\npolicies:\n  - policyName: a\n    effect: EFFECT_ALLOW\n    consensus: approvers.any(u, u.id == '@user:rooot')\n",
    'o.yaml:5:16: policies[0].consensus names the user "rooot", which does not exist; did you mean "root"?',
  ],
  [
    "a member of the root quorum who does not exist",
    "version: 1\nrootQuorum:\n  threshold: 1\n  users: [alice]\n",
    'o.yaml:4:11: rootQuorum.users[0] names the user "alice", which does not exist; there is root',
  ],
  [
    "a threshold above the members",
    "version: 1\nrootQuorum:\n  threshold: 2\n  users: [root]\n",
    "o.yaml:3:14: rootQuorum.threshold is 2, but the quorum has 1 user",
  ],
  [
    "an expression that would be refused",
    "version: 1\npolicies:\n  - policyName: a\n    effect: EFFECT_ALLOW\n    consensus: approvers.any(u, u.id == '@user:root')\n    condition: eth.tx.amount > 1\n",
    /o\.yaml:6:16: policies\[0\]\.condition would be refused, at its character 8: .*did you mean/i,
  ],
  [
    "an expression with a fault behind a reference",
    "version: 1\npolicies:\n  - policyName: a\n    effect: EFFECT_ALLOW\n    consensus: approvers.any(u, u.id == '@user:root' && u.nam == 'x')\n",
    /o\.yaml:5:16: policies\[0\]\.consensus would be refused, at its character 44: /,
  ],
  [
    "a setting of the auth proxy that does not exist",
    "version: 1\nauthProxy:\n  enabled: true\n  settings:\n    alowedOrigins: []\n",
    "o.yaml:5:5: authProxy.settings.alowedOrigins is unknown; did you mean allowedOrigins?",
  ],
  [
    "a setting of the auth proxy of the wrong type",
    "version: 1\nauthProxy:\n  enabled: true\n  settings:\n    otpLength: six\n",
    /o\.yaml:5:16: authProxy\.settings\.otpLength must be /,
  ],
  [
    "a misspelt member of a velocity control",
    "version: 1\nvelocityControls:\n  - name: a\n    identifier: a\n    dataSource: {activityExecutoin: {}}\n    aggregation: {}\n",
    /o\.yaml:5:\d+: velocityControls\[0\]\.dataSource/,
  ],
]

for (const [title, text, log] of MISTAKES) {
  t.test(`${title} is refused with its place`, async (t) => {
    const ended = await apply(t, text)
    t.match(ended, { status: 2, log, submitted: [] })
  })
}

t.test("all mistakes are listed at once", async (t) => {
  const { status, log } = await apply(t, "version: 1\nuserTags: [1]\npolicies: [{policyName: a}]\nfoo: 1\n")
  t.equal(status, 2)
  t.match(log, /has 3 mistakes[^]*userTags\[0\][^]*policies\[0\]\.effect[^]*foo is unknown/)
})

t.test("a missing file and a file of aliases that grow are refused", async (t) => {
  const missing = await commandLine(
    { COUNTERSIGN_DATA_DIR: t.testdir() },
    "config",
    "apply",
    "nowhere.yaml",
    "--yes",
  )
  t.match(missing, { status: 2 })
  const levels = Array.from(
    { length: 12 },
    (_, index) => `- &a${index + 1} [${Array(9).fill(`*a${index}`).join(", ")}]`,
  )
  const text = `- &a0 [x, x]\n${levels.join("\n")}\n`
  t.match(await apply(t, text), { status: 2, log: /alias/i, submitted: [] })
})

t.test("nothing is sent without a yes", async (t) => {
  const text = "version: 1\nuserTags: [a]\n"
  t.match(await apply(t, text, "--dry-run"), { status: 0, out: /create {2}user tag a/, submitted: [] })
  const json = await apply(t, text, "--dry-run", "--json")
  t.match(JSON.parse(json.out), { changes: [{ action: "create", kind: "user tag", name: "a" }] })
  t.match(await apply(t, text, "--json"), { status: 2, log: /add --yes/, submitted: [] })
  if (!process.stdin.isTTY)
    t.match(await apply(t, text, "--prune"), { status: 2, log: /add --yes to apply the plan/, submitted: [] })
})

t.test("policies that are accepted and probably not intended are noted", async (t) => {
  const text = "version: 1\npolicies: [{policyName: all, effect: EFFECT_ALLOW}]\n"
  t.match(await apply(t, text, "--dry-run"), {
    status: 0,
    out: /note {4}policy all: neither condition nor consensus: it lets every user do everything/,
  })
})
