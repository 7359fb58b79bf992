import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import t from "tap"
import { packageRoot } from "../../../services/terminal-client/settings.ts"
import { commandLine } from "./command-line.ts"

const EXAMPLE = join(packageRoot, "examples", "policies", "treasury.json")

type Json = { [name: string]: unknown }

const organization = {
  users: [{ userId: "root" }, { userId: "dan", userTags: ["t-agent"] }, { userId: "eva" }],
  tags: [{ tagId: "t-agent", tagName: "agent" }],
  rootQuorum: { threshold: 1, userIds: ["root"] },
}
const exporting = {
  type: "ACTIVITY_TYPE_EXPORT_WALLET",
  parameters: { walletId: "019b76da-a800-7000-8000-000000000001", targetPublicKey: `04${"ab".repeat(64)}` },
}
const wallet = { id: "019b76da-a800-7000-8000-000000000001" }
const example = {
  name: "one",
  activity: exporting,
  uses: { wallet },
  submitter: "dan",
  expect: "OUTCOME_ALLOW",
}
const allow = (condition: string, more: Json = {}) => ({
  policyName: "P",
  effect: "EFFECT_ALLOW",
  condition,
  ...more,
})

function run(t: { testdir: () => string }, command: "test" | "check", content: unknown, ...words: string[]) {
  const file = join(t.testdir(), "policies.json")
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content))
  return commandLine({}, "policy", command, file, ...words)
}

t.test("the cases of the example are as expected", async (t) => {
  const { status, out, log } = await commandLine({}, "policy", "test", EXAMPLE)
  t.equal(status, 0, log)
  t.match(out, /^ok {4}the payer signs a permit on a Monday morning$/m)
  t.match(out, /7 of 7 cases as expected$/)
  t.match(await commandLine({}, "policy", "check", EXAMPLE), { status: 0, out: /^ok.*\nok.*\nok.*$/ })
})

t.test("a case of the example that expects something else fails", async (t) => {
  const whole = JSON.parse(readFileSync(EXAMPLE, "utf8")) as { cases: Json[] }
  for (const [index, one] of whole.cases.entries()) {
    const expect = "OUTCOME_DENY_EXPLICIT" === one["expect"] ? "OUTCOME_ALLOW" : "OUTCOME_DENY_EXPLICIT"
    const cases = whole.cases.map((other, at) => (at === index ? { ...one, expect } : other))
    const { status, out } = await run(t, "test", { ...whole, cases })
    t.equal(status, 6)
    t.match(out, /6 of 7 cases/)
    t.equal(out.split("\n").filter((line) => line.startsWith("FAIL")).length, 1)
  }
})

t.test("a case that fails shows the actual outcome and the clauses that decided", async (t) => {
  const policies = [
    allow("activity.kind == 'EXPORT_WALLET' && wallet.exported", { consensus: "approvers.count() >= 2" }),
  ]
  const { status, out, log } = await run(t, "test", { organization, policies, cases: [example] })
  t.equal(status, 6)
  t.match(log, /0 of 1 case as/)
  t.match(out, /FAIL {2}one\n +expected OUTCOME_ALLOW, is OUTCOME_DENY_IMPLICIT: No policies/)
  t.match(
    out,
    /P {2}OUTCOME_DENY_IMPLICIT\n +condition false: wallet.exported\n +consensus false: approvers.count\(\) >= 2/,
  )
  t.notMatch(out, /activity.kind/, "what is true did not decide")
})

t.test("an expression without a value is shown with its reason", async (t) => {
  const policies = [allow("private_key.id == 'x' || true")]
  const { out } = await run(t, "test", { organization, policies, cases: [example] })
  t.match(out, /P {2}OUTCOME_ERROR\n +condition error \(.+\): private_key.id == 'x'/)
})

t.test("outcomes of single policies may be expected", async (t) => {
  const policies = [allow("true"), allow("wallet.exported", { policyName: "Q" })]
  const expecting = (expected: Json) => ({
    ...example,
    expect: { outcome: "OUTCOME_ALLOW", policies: expected },
  })
  const good = expecting({ P: "OUTCOME_ALLOW", Q: "OUTCOME_DENY_IMPLICIT" })
  t.equal((await run(t, "test", { organization, policies, cases: [good] })).status, 0)
  for (const [expected, sentence] of [
    [{ Q: "OUTCOME_ALLOW" }, /policy "Q": expected OUTCOME_ALLOW, is OUTCOME_DENY_IMPLICIT/],
    [{ R: "OUTCOME_ALLOW" }, /there is no policy "R"/],
  ] as const) {
    const reply = await run(t, "test", { organization, policies, cases: [expecting(expected)] })
    t.match(reply, { status: 6, out: sentence })
  }
})

t.test("policy test prints its results as JSON", async (t) => {
  const { status, out } = await run(
    t,
    "test",
    { organization, policies: [allow("true")], cases: [example] },
    "--json",
  )
  t.equal(status, 0)
  t.match(JSON.parse(out), {
    passed: true,
    cases: [{ name: "one", outcome: "OUTCOME_ALLOW", faults: [], policies: [{ policyName: "P" }] }],
  })
})

t.test("policies of time need a case's time", async (t) => {
  const policies = [allow("true", { time: "CronSpan('0 8 * * 1-5', '10h', 'UTC')" })]
  const reply = await run(t, "test", { organization, policies, cases: [example] })
  t.match(reply, { status: 2, log: /case "one" needs a time/ })
  const sunday = { ...example, time: "2026-01-04T09:00:00Z", expect: "OUTCOME_DENY_IMPLICIT" }
  t.equal((await run(t, "test", { organization, policies, cases: [sunday] })).status, 0)
})

t.test("a file of another form is a usage error that lists every fault by its path", async (t) => {
  const good = { organization, policies: [], cases: [example] }
  const without = (activity: Json) => ({ ...good, cases: [{ ...example, activity }] })
  for (const [content, sentence] of [
    ["nothing", /policies\.json:1:1: the file must be an object with members/],
    ['{"a":1,"a":2}', /policies\.json:1:8: .*twice/],
    [{ ...good, cases: [], polices: [] }, /cases must have [^]*polices is unknown/],
    [{ ...good, cases: [{ ...example, submiter: "dan" }] }, /cases\[0\].*submiter/],
    [
      without({ type: "ACTIVITY_TYPE_NONE", parameters: {} }),
      /cases\[0\]\.activity\.type is ACTIVITY_TYPE_NONE, which does not exist/,
    ],
    [without({ ...exporting, parameters: {} }), /cases\[0\]\.activity\.parameters.*walletId/],
    [{ ...good, cases: [{ ...example, submitter: "nobody" }] }, /has no user nobody/],
    [
      {
        ...good,
        cases: [
          { ...example, approvers: [{ userId: "eva", credentialType: "CREDENTIAL_TYPE_OAUTH_KEY_P256" }] },
        ],
      },
      /user eva has no credential of type/,
    ],
    [
      { ...good, organization: { ...organization, users: [{ userId: "root", credentialTypes: ["KEY"] }] } },
      /there is no credential type KEY/,
    ],
  ] as const) {
    t.match(await run(t, "test", content), { status: 2, out: "", log: sentence })
  }
  t.match(await commandLine({}, "policy", "test", join(t.testdir(), "absent.json")), { status: 2 })
})

t.test("check shows which expressions would be refused, and where", async (t) => {
  const policies = [allow("activity.kind == 'SIGN' && eth.tx.gasPrice > 1", { policyName: "Gas" })]
  const { status, out, log } = await run(t, "check", { policies })
  t.equal(status, 6)
  t.match(log, /one expression would be refused/)
  t.match(out, /Gas\n {2}FAULT condition, 34 to 42: .*gasPrice. Did you mean gas_price\?\n {8}gasPrice/)
})

t.test("check refuses a misspelt member, which would make its policy apply to everyone", async (t) => {
  const { condition, ...open } = allow("true")
  const misspelt = await run(t, "check", { policies: [{ ...open, conditions: condition }] })
  t.match(misspelt, {
    status: 2,
    log: /policies\.json:1:\d+: policies\[0\]\.conditions is unknown; did you mean condition\?$/,
  })
  const further = await run(t, "check", { policies: [{ ...open, further: 1, conditon: condition }] })
  t.match(further, {
    status: 2,
    log: /has 2 mistakes .*:\n {2}\S+ policies\[0\]\.further is unknown; use policyName, .*\n {2}\S+ policies\[0\]\.conditon .*condition\?$/,
  })
  const { status, out } = await run(t, "check", { policies: [open, { ...open, effect: "EFFECT_DENY" }] })
  t.equal(status, 0)
  t.match(out, /note {2}neither condition nor consensus: it lets every user do everything, except/)
  t.match(out, /note {2}neither condition nor consensus: it denies every activity/)
})

t.test("check notes what is probably not intended, and refuses nothing for it", async (t) => {
  const policies = [
    allow("activity.action == 'SIGNS'", { consensus: "approvers.any(u, u.tags.contains('agent'))" }),
  ]
  const { status, out } = await run(t, "check", { organization, policies })
  t.equal(status, 0)
  t.match(out, /note {2}condition, .*there is no action SIGNS\n {8}'SIGNS'/)
  t.match(out, /note {2}consensus, .*that is the name of tag t-agent: write the id/)
  const json = await run(t, "check", { policies }, "--json")
  t.match(JSON.parse(json.out), {
    policies: [{ policyName: "P", expressions: [{ field: "condition" }, {}] }],
  })
})
