import t from "tap"
import {
  faultsOf,
  faultsOfActivity,
  type Json,
  requireActivity,
  requireError,
  requireQueryReply,
  requireResult,
  requireShape,
} from "./replies.ts"
import { list, oneOf, optional, record, required, string, timestamp } from "./tables/field.ts"
import { user } from "./tables/resources.ts"

const ID = "6f0b7f0e-1c1f-4a8e-9d58-3a2f6f6e2f11"
const TYPE = "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2"
const TIME = { seconds: "1764000000", nanos: "0" }

const parameters = {
  signWith: "0x8A3b",
  payload: "00",
  encoding: "PAYLOAD_ENCODING_HEXADECIMAL",
  hashFunction: "HASH_FUNCTION_KECCAK256",
}

const sampleUser = {
  userId: ID,
  userName: "root",
  authenticators: [],
  apiKeys: [
    {
      credential: { publicKey: "02ab", type: "CREDENTIAL_TYPE_API_KEY_P256" },
      apiKeyId: ID,
      apiKeyName: "first",
      createdAt: TIME,
      updatedAt: TIME,
    },
  ],
  userTags: [],
  oauthProviders: [],
  mfaPolicies: [],
  createdAt: TIME,
  updatedAt: TIME,
}

const sampleActivity = {
  id: ID,
  organizationId: ID,
  status: "ACTIVITY_STATUS_COMPLETED",
  type: TYPE,
  intent: { signRawPayloadIntentV2: parameters },
  result: { signRawPayloadResult: { r: "00", s: "00", v: "01" } },
  votes: [
    {
      id: ID,
      userId: ID,
      user: sampleUser,
      activityId: ID,
      selection: "VOTE_SELECTION_APPROVED",
      message: "{}",
      publicKey: "02ab",
      signature: "3045",
      scheme: "SIGNATURE_SCHEME_TK_API_P256",
      createdAt: TIME,
    },
  ],
  fingerprint: `sha256:${"0".repeat(64)}`,
  canApprove: false,
  canReject: false,
  createdAt: "2025-11-24T16:00:00.000Z",
  updatedAt: "2025-11-24T16:00:00Z",
}

const withActivity = (changes: Json): Json => ({ activity: { ...sampleActivity, ...changes } })

t.test("accepts an activity with a vote", async (t) => {
  const reply = { activity: sampleActivity }
  t.strictSame(faultsOfActivity(reply, { type: TYPE, parameters }), [])
  t.equal(requireActivity(reply, { type: TYPE })["id"], ID)
  t.strictSame(requireResult(reply, { type: TYPE, parameters }), { r: "00", s: "00", v: "01" })
})

t.test("accepts a user as published clients read it", async (t) => {
  t.strictSame(faultsOf(sampleUser, user), [])
  t.strictSame(faultsOf({ ...sampleUser, userEmail: "a@b.example" }, user), [])
  t.strictSame(faultsOf({ ...sampleUser, userEmail: null }, user), ["userEmail: null instead of string"])
})

t.test("refuses an activity nested in a result", async (t) => {
  const { id, status, type, organizationId } = sampleActivity
  const nested = { id, status, type, organizationId, timestampMs: "1", result: { activity: sampleActivity } }
  const faults = faultsOfActivity({ activity: nested }, { type: TYPE })
  t.ok(faults.includes("activity.timestampMs: in no table"))
  t.ok(faults.includes("activity.intent: missing"))
  t.throws(() => requireActivity({ activity: nested }, { type: TYPE }), /activity.votes: missing/)
})

t.test("refuses an activity that lacks any of the twelve members", async (t) => {
  for (const name of Object.keys(sampleActivity)) {
    const { [name]: _, ...rest } = sampleActivity as Json
    t.ok(faultsOfActivity({ activity: rest }, { type: TYPE }).includes(`activity.${name}: missing`), name)
  }
})

t.test("accepts both forms of an activity's times, each only where requested", async (t) => {
  const objects = withActivity({ createdAt: TIME, updatedAt: TIME })
  t.strictSame(faultsOfActivity(objects, { type: TYPE, times: "object" }), [])
  t.match(faultsOfActivity(objects, { type: TYPE }), [/createdAt: object instead of string/, /updatedAt/])
  t.match(faultsOfActivity({ activity: sampleActivity }, { type: TYPE, times: "object" }), [
    /createdAt/,
    /up/,
  ])
  const late = withActivity({ createdAt: "yesterday", updatedAt: "2025-13-99T99:00:00Z" })
  t.match(faultsOfActivity(late, { type: TYPE }), [/createdAt: no RFC 3339 time/, /updatedAt: no RFC/])
})

t.test("expects an empty result before completion and one member after", async (t) => {
  const waiting = { status: "ACTIVITY_STATUS_CONSENSUS_NEEDED" }
  t.strictSame(faultsOfActivity(withActivity({ ...waiting, result: {} }), { type: TYPE }), [])
  t.match(faultsOfActivity(withActivity(waiting), { type: TYPE }), [/before completion/])
  t.match(faultsOfActivity(withActivity({ result: {} }), { type: TYPE }), [/instead of signRawPayloadResult/])
  t.match(faultsOfActivity(withActivity({ result: null }), { type: TYPE }), [/null instead of an object/])
  const named = { result: { signRawPayloadResultV2: { r: "", s: "", v: "" } } }
  t.match(faultsOfActivity(withActivity(named), { type: TYPE }), [/\[signRawPayloadResultV2\]/])
  const short = { result: { signRawPayloadResult: { r: "", s: "" } } }
  t.match(faultsOfActivity(withActivity(short), { type: TYPE }), [/signRawPayloadResult\.v: missing/])
})

t.test("expects the parameters under the intent's name", async (t) => {
  const expect = (intent: Json, sent: Json = parameters) =>
    faultsOfActivity(withActivity({ intent }), { type: TYPE, parameters: sent })
  t.match(expect({ signRawPayloadIntent: parameters }), [/instead of signRawPayloadIntentV2/])
  t.match(expect({}), [/\[\] instead of/])
  t.match(expect({ signRawPayloadIntentV2: { ...parameters, payload: "01" } }), [/payload: not as submitted/])
  t.match(expect({ signRawPayloadIntentV2: { ...parameters, more: "1" } }), [/more: never submitted/])
  t.match(expect({ signRawPayloadIntentV2: { signWith: "0x8A3b" } }).length, 3)
  const nulled = { ...parameters, hashFunction: null }
  t.match(expect({ signRawPayloadIntentV2: parameters }, nulled), [/hashFunction: sent as null/])
  t.strictSame(expect({ signRawPayloadIntentV2: { ...parameters, list: [] } }), [])
  const nested = { ...parameters, items: [{ a: "1", b: null }] }
  t.strictSame(expect({ signRawPayloadIntentV2: { ...parameters, items: [{ a: "1" }] } }, nested), [])
  t.match(expect({ signRawPayloadIntentV2: { ...parameters, items: [{ a: "2" }] } }, nested), [
    /items\[0\]\.a/,
  ])
})

t.test("expects the requested type and status", async (t) => {
  const reply = { activity: sampleActivity }
  t.match(faultsOfActivity(reply, { type: "ACTIVITY_TYPE_CREATE_POLICY_V3" })[0], /activity.type/)
  t.match(faultsOfActivity(reply, { type: TYPE, status: "ACTIVITY_STATUS_FAILED" })[0], /activity.status/)
  t.match(faultsOfActivity(withActivity({ type: "X" }), { type: "X" }), [/no table describes X/])
  t.match(faultsOfActivity(withActivity({ status: "DONE" }), { type: TYPE }), [/no value of its enumeration/])
  t.throws(() =>
    requireResult(withActivity({ status: "ACTIVITY_STATUS_PENDING", result: {} }), { type: TYPE }),
  )
})

t.test("checks types inside lists and objects and names the path", async (t) => {
  const table = {
    items: required(list(record({ kind: required(oneOf(["A", "B"])), note: optional(string) }))),
    at: required(timestamp),
  }
  const good = { items: [{ kind: "A" }, { kind: "B", note: "" }], at: TIME }
  t.equal(requireShape(good, table), good)
  t.strictSame(
    faultsOf({ items: [{ kind: "C" }, { kind: 1, note: 2, more: 3 }], at: { seconds: 1 } }, table),
    [
      "items[0].kind: C is no value of its enumeration",
      "items[1].kind: number instead of an enum value",
      "items[1].note: number instead of string",
      "items[1].more: in no table",
      "at.seconds: number instead of string",
      "at.nanos: missing",
    ],
  )
  t.strictSame(faultsOf({ items: {}, at: { seconds: "1", nanos: "-1" } }, table), [
    "items: object instead of a list",
    "at.nanos: no decimal number",
  ])
  t.strictSame(faultsOf([], table), ["reply: list instead of an object"])
})

t.test("checks the reply of a query by its path", async (t) => {
  const wallet = { walletId: ID, walletName: "First", createdAt: TIME, updatedAt: TIME, exported: false }
  const good = { wallet: { ...wallet, imported: false } }
  t.equal(requireQueryReply("get_wallet", good), good)
  t.throws(() => requireQueryReply("get_wallet", { wallet }), /wallet.imported: missing/)
  t.throws(() => requireQueryReply("get_nothing", {}), /no table describes the query get_nothing/)
  requireQueryReply("list_users", { users: [sampleUser] })
})

t.test("checks the body of an error and its code", async (t) => {
  const good = { code: 16, message: "no stamp", details: [] }
  t.equal(requireError(good, 16), good)
  requireError({ ...good, turnkeyErrorCode: "SIGNATURE_MISSING" })
  t.throws(() => requireError(good, 3), /code: 16 instead of 3/)
  t.throws(() => requireError({ error: "no stamp" }), /message: missing/)
})
