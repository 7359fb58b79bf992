import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { create } from "@bufbuild/protobuf"
import t from "tap"
import { ActivityStatus, Effect } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { AuthProxySchema } from "../../../../proto/gen/countersign/state/v1/document_pb.ts"
import { policyWarningsText } from "../../../../services/api/submit/policy-warnings.ts"
import { linesOfHeader } from "../../../../services/terminal-client/note-lines.ts"
import type { PolicyNote } from "../../../../services/policy-advice/notes.ts"
import { commandLine } from "../../cli/command-line.ts"
import { nextId, notarized, storeOrganization, user } from "../documents.ts"
import { outcome, submitBody } from "../prepared.ts"
import { startApi } from "../start-api.ts"
import { StoredOrganization } from "../../../../services/api/store/stored-organization.ts"
import { makeKey } from "../stamps.ts"

const HEADER = "x-countersign-policy-warnings"
const key = makeKey()
const alice = user("alice", key)
const rootQuorum = { threshold: 1, userIds: [alice.userId] }
const policyId = nextId()
const stored = { policyId, name: "stored", effect: Effect.ALLOW, condition: "activity.type == 'NONE'" }
const { document } = new StoredOrganization(notarized({ users: [alice], rootQuorum, policies: [stored] }))

const open = { policyName: "open", effect: "EFFECT_ALLOW", notes: "" }
const misspelt = { ...open, policyName: "misspelt", condition: "activity.type == 'ACTIVITY_TYPE_NONE'" }
const good = { ...open, policyName: "good", condition: "activity.resource == 'WALLET'" }

function notesOn(type: string, intent: object): PolicyNote[] {
  const text = policyWarningsText(
    { type: `ACTIVITY_TYPE_${type}`, intent: JSON.stringify({ intent }) },
    document,
    Date.UTC(2027, 5, 1),
  )
  return text === undefined ? [] : (JSON.parse(text) as PolicyNote[])
}

t.test("a policy that is created, alone or among others, comes back with the notes about it", async (t) => {
  t.match(notesOn("CREATE_POLICY_V3", open), [
    { policyName: "open", sentence: /neither condition nor consensus/ },
  ])
  t.match(notesOn("CREATE_POLICIES", { policies: [good, misspelt, open] }), [
    { policyName: "misspelt", at: { field: "condition", text: "'ACTIVITY_TYPE_NONE'" } },
    { policyName: "open" },
  ])
  t.same(notesOn("CREATE_POLICY_V3", good), [])
  t.same(notesOn("CREATE_USER_TAG", { userTagName: "x" }), [])
})

t.test("a changed policy is checked with what stays of it", async (t) => {
  const renamed = notesOn("UPDATE_POLICY_V2", { policyId: policyId.toUpperCase(), policyName: "renamed" })
  t.match(renamed, [{ policyName: "renamed", at: { text: "'NONE'" } }])
  t.match(notesOn("UPDATE_POLICY_V2", { policyId, policyCondition: "" }), [{ sentence: /neither condition/ }])
  t.same(notesOn("UPDATE_POLICY_V2", { policyId, policyCondition: good.condition }), [])
  t.same(
    notesOn("UPDATE_POLICY_V2", { policyId: nextId(), policyCondition: "" }),
    [],
    "a policy that is gone",
  )
})

t.test("policies come back with the versions of an activity that pass them", async (t) => {
  const condition = "activity.type == 'ACTIVITY_TYPE_SIGN_TRANSACTION_V2'"
  const expected = [
    {
      sentence: /^other types of this kind pass it: ACTIVITY_TYPE_SIGN_TRANSACTION;/,
      at: { field: "condition" },
    },
  ]
  const deny = { policyName: "deny", effect: "EFFECT_DENY", condition, notes: "" }
  t.match(notesOn("CREATE_POLICY_V3", deny), expected)
  t.match(notesOn("CREATE_POLICIES", { policies: [deny] }), expected)
  const requiredAuthenticationMethods = [{ any: [{ type: "AUTHENTICATION_TYPE_SESSION" }] }]
  const mfa = {
    userId: alice.userId,
    mfaPolicyName: "mfa",
    condition,
    requiredAuthenticationMethods,
    order: 0,
  }
  t.match(notesOn("CREATE_MFA_POLICY", mfa), expected)
})

t.test("enabling the auth proxy comes back with the origins that it serves", async (t) => {
  const ways = [
    ["ENABLE_AUTH_PROXY", {}],
    ["SET_ORGANIZATION_FEATURE", { name: "FEATURE_NAME_AUTH_PROXY", value: "" }],
  ] as const
  const about = (allowedOrigins: string[]) => ({
    ...document,
    authProxy: create(AuthProxySchema, { configId: "c", settings: { allowedOrigins } }),
  })
  for (const [type, parameters] of ways) {
    const read = (shown: typeof document) => {
      const row = { type: `ACTIVITY_TYPE_${type}`, intent: JSON.stringify({ anyIntent: parameters }) }
      return policyWarningsText(row, shown, 0)
    }
    for (const open of [document, about([]), about(["*"])])
      t.match(read(open), /serves pages of every origin/, type)
    t.equal(read(about(["https://app.example"])), undefined)
  }
  t.same(notesOn("SET_ORGANIZATION_FEATURE", { name: "FEATURE_NAME_WEBHOOK" }), [])
})

t.test("an MFA policy comes back with the credentials that meet no step of it", async (t) => {
  const mfa = (...any: object[]) =>
    notesOn("CREATE_MFA_POLICY", {
      userId: alice.userId,
      mfaPolicyName: "mfa",
      condition: "true",
      requiredAuthenticationMethods: any.map((method) => ({ any: [method] })),
      order: 0,
    })
  const [{ apiKeyId = "" } = {}] = alice.apiKeys ?? []
  t.match(mfa({ type: "AUTHENTICATION_TYPE_PASSKEY" }), [
    { policyName: "mfa", sentence: new RegExp(`^no step is met by API key .* \\(${apiKeyId}\\)$`) },
  ])
  t.match(mfa({ type: "AUTHENTICATION_TYPE_API_KEY", id: nextId() }), [{ policyName: "mfa" }])
  t.same(mfa({ type: "AUTHENTICATION_TYPE_API_KEY", id: apiKeyId.toUpperCase() }), [])
  t.same(mfa({ type: "AUTHENTICATION_TYPE_API_KEY", id: "" }), [])
  t.same(mfa({ type: "AUTHENTICATION_TYPE_PASSKEY" }, { type: "AUTHENTICATION_TYPE_SESSION" }), [])
})

t.test("the header is ASCII and bounded, and counts the notes that it leaves out", async (t) => {
  const policies = Array.from({ length: 100 }, (_, index) => ({ ...open, policyName: `\u00e9\r\n${index}` }))
  const intent = JSON.stringify({ createPoliciesIntent: { policies } })
  const text = policyWarningsText({ type: "ACTIVITY_TYPE_CREATE_POLICIES", intent }, document, 0) ?? ""
  t.match(text, /^[\x20-\x7e]{1000,4096}$/)
  const notes = JSON.parse(text) as PolicyNote[]
  t.equal(notes[0]?.policyName, "\u00e9\r\n0")
  t.equal(notes.at(-1)?.sentence, `${101 - notes.length} more notes: npx countersign policy check`)
  const [long] = notesOn("CREATE_POLICY_V3", { ...open, policyName: "x".repeat(5000) })
  t.match(long, { sentence: /^1 more note:/ })
})

t.test("the command prints the header as policy check prints the same policies", async (t) => {
  const policies = [misspelt, open]
  const file = join(t.testdir(), "policies.json")
  const organization = { users: [{ userId: alice.userId }], rootQuorum }
  writeFileSync(file, JSON.stringify({ organization, policies }))
  const { out } = await commandLine({}, "policy", "check", file)
  const header = JSON.stringify(notesOn("CREATE_POLICIES", { policies }))
  // The command knows the file, and names the place in it.
  const lines = out.split("\n").filter((line) => !line.trim().startsWith(file))
  t.same(await linesOfHeader(header), lines)
  for (const odd of [null, "", "{", "{}", '[{"sentence":1}]']) t.same(await linesOfHeader(odd), [])
})

t.test("a reply has the header, also while the activity waits for votes", async (t) => {
  const { sql, signer, post } = await startApi(t)
  await storeOrganization(sql, { users: [alice], rootQuorum })
  const send = async (policy: object, status: ActivityStatus = ActivityStatus.COMPLETED) => {
    signer.answers.push(outcome(alice.userId, { status }))
    return post("submit/create_policy", submitBody("CREATE_POLICY_V3", policy), key)
  }
  const reply = await send(open)
  t.equal(reply.status, 200)
  t.match(JSON.parse(reply.headers.get(HEADER) ?? ""), [{ policyName: "open" }])
  t.equal((await send(good)).headers.get(HEADER), null)
  const waiting = await send({ ...open, policyName: "waiting" }, ActivityStatus.CONSENSUS_NEEDED)
  t.match(JSON.parse(waiting.headers.get(HEADER) ?? ""), [{ policyName: "waiting" }])
})

t.test("a policy that can never match has a note with its place and what to write", async (t) => {
  const tron = "a614f803b6fd780986a42c78ec9c7f77e6ded13c"
  const time = "time.now < Timestamp('2027-01-01T00:00:00Z')"
  const condition = `tron.tx.contract.any(c, c.to_address == '41${tron}')`
  const policy = { policyName: "never", effect: "EFFECT_ALLOW", condition, time }
  t.match(notesOn("CREATE_POLICY_V3", policy), [
    {
      sentence: /write 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'/,
      at: { field: "condition", offset: condition.indexOf("'"), text: `'41${tron}'` },
    },
    { sentence: /never true again/, at: { field: "time", offset: 0, text: time } },
  ])
})
