// Files of policies in YAML: the same reader as for JSON, and mistakes with their line and column.
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import t, { type Test } from "tap"
import { stringify } from "yaml"
import { generateApiKey } from "../../../services/terminal-client/api-key.ts"
import { bindKey, writeKey } from "../../../services/terminal-client/key-folder.ts"
import { packageRoot } from "../../../services/terminal-client/settings.ts"
import { commandLine } from "./command-line.ts"
import { fakeApi } from "./fake-api.ts"

const ORGANIZATION = {
  users: [
    { userId: "u-root", userName: "root" },
    { userId: "u-dan", userName: "dan", userTags: ["t-agent"] },
  ],
  tags: [{ tagId: "t-agent", tagName: "agent" }],
  rootQuorum: { threshold: 1, userIds: ["u-root"] },
}
const EXPORT = {
  type: "ACTIVITY_TYPE_EXPORT_WALLET",
  parameters: {
    walletId: "019b76da-a800-7000-8000-000000000001",
    targetPublicKey: `04${"ab".repeat(64)}`,
  },
}

function fileIn(t: Test, text: string): string {
  const file = join(t.testdir(), "policies.yaml")
  writeFileSync(file, text)
  return file
}

async function run(t: Test, command: "check" | "test", text: string, ...words: string[]) {
  const file = fileIn(t, text)
  const ended = await commandLine({}, "policy", command, file, ...words)
  const short = (lines: string) => lines.replaceAll(file, "policies.yaml")
  return { ...ended, out: short(ended.out), log: short(ended.log) }
}

t.test("cases in YAML are decided, and names of the file stand for ids", async (t) => {
  const file = {
    organization: ORGANIZATION,
    policies: [
      {
        policyName: "agents export",
        effect: "EFFECT_ALLOW",
        consensus: "approvers.any(u, u.tags.contains('@tag:agent') && u.id == '@user:dan')",
        condition: "activity.kind == 'EXPORT_WALLET'",
      },
    ],
    cases: [{ name: "dan exports", activity: EXPORT, submitter: "u-dan", expect: "OUTCOME_ALLOW" }],
  }
  t.match(await run(t, "test", stringify(file)), { status: 0, out: /1 of 1 case as expected/ })
  const other = [{ ...file.cases[0], submitter: "u-root", expect: "OUTCOME_DENY_IMPLICIT" }]
  t.match(
    await run(t, "test", stringify({ ...file, cases: other })),
    { status: 6 },
    "root is allowed by the quorum",
  )
})

t.test("a single policy, as create takes it, is checked with the place of its fault", async (t) => {
  const single = join(packageRoot, "examples", "two-of-treasury.yaml")
  t.match(await commandLine({}, "policy", "check", single), { status: 0, out: "ok    two-of-treasury" })
  const text = "effect: EFFECT_ALLOW\ncondition: eth.tx.amount > 1\nconsensus: 'true'\n"
  t.match(await run(t, "check", text), {
    status: 6,
    out: /^ {6}policies\n {2}FAULT condition, .*\n {8}amount\n {8}policies\.yaml:2:12$/,
  })
})

/** Files with mistakes, and the error about them. */
const MISTAKES: [title: string, command: "check" | "test", text: string, log: string | RegExp][] = [
  ["broken YAML", "check", "policies: [", /^countersign: policies\.yaml:1:12: /],
  ["a name twice", "check", "policies: []\npolicies: []\n", "policies.yaml:2:1: Map keys must be unique"],
  ["broken JSON", "check", '{"policies": [}', "policies.yaml:1:15: "],
  ["a name twice in JSON", "check", '{\n  "policies": [],\n  "policies": []\n}', /policies\.yaml:3:\d+: /],
  ["a text", "check", "nothing", 'policies.yaml:1:1: the file must be an object with members, not "nothing"'],
  ["no policy", "check", "policies: []\n", "policies.yaml:1:11: policies must have at least one item"],
  [
    "a misspelt member",
    "check",
    "policies:\n  - policyName: a\n    effect: EFFECT_ALLOW\n    conditon: 'true'\n",
    "policies.yaml:4:5: policies[0].conditon is unknown; did you mean condition?",
  ],
  [
    "a misspelt value of a single policy",
    "check",
    "effect: EFFECT_ALOW\n",
    'policies.yaml:1:9: effect must be EFFECT_ALLOW or EFFECT_DENY, not "EFFECT_ALOW"; did you mean EFFECT_ALLOW?',
  ],
  [
    "the file of an organization",
    "check",
    "version: 1\npolicies: []\n",
    /policies\.yaml:1:1: version is of an organization's file: countersign config diff \S+ checks its policies/,
  ],
  [
    "a name that stands for nothing",
    "check",
    `organization: ${JSON.stringify(ORGANIZATION)}\npolicies:\n  - policyName: a\n    effect: EFFECT_ALLOW\n    consensus: approvers.any(u, u.id == '@user:eve')\n`,
    "policies.yaml:5:16: policies[0].consensus has @user:eve, which stands for nothing",
  ],
  [
    "a type that does not exist, and a parameter that is missing",
    "test",
    stringify({
      organization: ORGANIZATION,
      policies: [],
      cases: [
        {
          name: "one",
          activity: { ...EXPORT, type: "ACTIVITY_TYPE_EXPORT_WALET" },
          submitter: "u-dan",
          expect: "OUTCOME_ALLOW",
        },
        {
          name: "two",
          activity: { ...EXPORT, parameters: {} },
          submitter: "u-dan",
          expect: "OUTCOME_ALLOW",
        },
      ],
    }),
    /has 2 mistakes[^]*cases\[0\]\.activity\.type is ACTIVITY_TYPE_EXPORT_WALET, .*did you mean ACTIVITY_TYPE_EXPORT_WALLET\?\n.*cases\[1\]\.activity\.parameters.*walletId/,
  ],
]

for (const [title, command, text, log] of MISTAKES) {
  t.test(`${title} is refused with its line and column`, async (t) => {
    t.match(await run(t, command, text), { status: 2, out: "", log })
  })
}

t.test("simulate tries a policy in YAML, with ids in place of names", async (t) => {
  const COUNTERSIGN_DATA_DIR = t.testdir()
  const keys = join(COUNTERSIGN_DATA_DIR, "keys")
  await writeKey(keys, "root", generateApiKey())
  await bindKey(keys, "root", "org-1")
  const ALICE = "019b76da-a800-7000-8000-00000000000a"
  const BOB = "019b76da-a800-7000-8000-00000000000b"
  const api = await fakeApi(t, {
    "/public/v1/query/list_users": {
      reply: {
        users: [
          { userId: ALICE, userName: "alice" },
          { userId: BOB, userName: "bob" },
        ],
      },
    },
    "/public/v1/query/simulate_policies": { reply: { outcome: "OUTCOME_ALLOW", reason: "", policies: [] } },
  })
  const file = join(packageRoot, "examples", "two-of-treasury.yaml")
  const words = [
    "--type",
    "create_wallet",
    "--parameters",
    '{"walletName":"A","accounts":[]}',
    "--file",
    file,
  ]
  const ended = await commandLine({ COUNTERSIGN_DATA_DIR }, "policy", "simulate", ...words, "--api", api.url)
  t.match(ended, { status: 0, log: `@user:alice -> ${ALICE}` })
  const asked = api.seen.find(({ path }) => path.endsWith("/simulate_policies"))
  t.match(JSON.parse(asked?.body ?? ""), {
    draftPolicies: [{ policyName: "two-of-treasury", effect: "EFFECT_ALLOW", consensus: new RegExp(ALICE) }],
  })
})

t.test(
  "a member of --file that breaks a rule is named with its place, one of an option with the option",
  async (t) => {
    const COUNTERSIGN_DATA_DIR = t.testdir()
    const keys = join(COUNTERSIGN_DATA_DIR, "keys")
    await writeKey(keys, "root", generateApiKey())
    await bindKey(keys, "root", "019b76da-a800-7000-8000-000000000001")
    const file = join(COUNTERSIGN_DATA_DIR, "user.yaml")
    writeFileSync(file, "userName: carol\nuserEmail: nowhere\n")
    const create = (...words: string[]) =>
      commandLine({ COUNTERSIGN_DATA_DIR }, "user", "create", "--file", file, ...words)
    t.match(await create(), { status: 2, log: /user\.yaml:2:12: .*userEmail/ })
    t.match(await create("--email", "elsewhere"), { status: 2, log: /userEmail.*\(--email\)/ })
    writeFileSync(file, "userName: carol\nuserEmial: carol@example.com\n")
    t.match(await create(), {
      status: 2,
      log: /user\.yaml:2:1: userEmial is unknown; did you mean userEmail\?/,
    })
  },
)
