// A stamped body, read from its bytes: what is taken from it, and the fault and field of each refusal.
import { createHash } from "node:crypto"
import t from "tap"
import { readPendingBody, readRequest } from "../../../../../signer/enclave/execution/state/request.ts"
import { memberRule } from "../../../../../signer/core/request/unknown-members.ts"
import { newKey, stampWith } from "../../../../harness/stamper.ts"

const organizationId = "01234567-89ab-4cde-8f01-23456789abcd"
const MAX_BODY_BYTES = 2 * 1024 * 1024
const MAX_VOTE_BYTES = 8 * 1024
const CREATE_TAG = "ACTIVITY_TYPE_CREATE_USER_TAG"
const APPROVE = "ACTIVITY_TYPE_APPROVE_ACTIVITY"

const envelope = (more: object = {}) => ({
  type: CREATE_TAG,
  organizationId,
  timestampMs: "1700000000000",
  parameters: { userTagName: "tag", userIds: [] },
  ...more,
})

const vote = (more: object = {}) =>
  envelope({ type: APPROVE, parameters: { fingerprint: `sha256:${"0".repeat(64)}` }, ...more })

const key = newKey()

/** The request of a body: an envelope, or a text. */
function requestOf(content: object | string) {
  const text = typeof content === "string" ? content : JSON.stringify(content)
  const stamps = { xStamp: stampWith(key, text), xStampWebauthn: "", xStampAttested: "" }
  return readRequest({ body: Buffer.from(text), ...stamps }, memberRule(new Set()))
}

/** The envelope with white space up to this size. */
const padded = (content: object, bytes: number) => JSON.stringify(content).padEnd(bytes, " ")

t.test("a request has the members of its body, and the fingerprint of its bytes", async (t) => {
  const text = JSON.stringify(envelope({ generateAppProofs: true }))
  const fingerprint = createHash("sha256").update(text).digest("hex")
  const expected = {
    fingerprint,
    activity: { type: CREATE_TAG },
    timestampMs: 1_700_000_000_000,
    parameters: { userTagName: "tag" },
    wantsProofs: true,
  }
  t.match(requestOf(text), { ...expected, organizationId, stamp: { publicKeyHex: key.publicKeyHex } })
  t.match(readPendingBody(Buffer.from(text)), expected)
})

t.test("app proofs are wanted where the body says so", async (t) => {
  for (const [generateAppProofs, wantsProofs] of [
    [undefined, false],
    [null, false],
    [false, false],
    [true, true],
  ] as const)
    t.equal(requestOf(envelope({ generateAppProofs })).wantsProofs, wantsProofs)
})

t.test("a body has two MiB at most, a vote eight KiB", async (t) => {
  t.equal(requestOf(padded(envelope(), MAX_BODY_BYTES)).body.length, MAX_BODY_BYTES)
  t.equal(requestOf(padded(vote(), MAX_VOTE_BYTES)).body.length, MAX_VOTE_BYTES)
  const large = { code: "REQUEST_TOO_LARGE" }
  t.throws(() => requestOf(padded(envelope(), MAX_BODY_BYTES + 1)), large)
  t.throws(() => requestOf(padded(vote(), MAX_VOTE_BYTES + 1)), large)
  t.equal(requestOf(padded(envelope(), MAX_VOTE_BYTES + 1)).body.length, MAX_VOTE_BYTES + 1)
})

t.test("a body that is no JSON object is refused", async (t) => {
  for (const text of ["", "{", '{"a":1,"a":2}', "null", "[]", '"text"', "7"])
    t.throws(() => requestOf(text), { code: "REQUEST_MALFORMED" }, text)
  t.throws(() => requestOf("{"), { cause: Error })
})

t.test("a member that is missing is named", async (t) => {
  for (const field of ["type", "organizationId", "timestampMs", "parameters"]) {
    const message = `invalid request body: missing field \`${field}\``
    for (const value of [undefined, null])
      t.throws(() => requestOf(envelope({ [field]: value })), { code: "REQUEST_INVALID", field, message })
  }
  t.throws(() => requestOf(envelope({ timestampMs: "" })), { message: /missing field `timestampMs`/ })
  t.throws(() => requestOf(envelope({ type: 7 })), { message: /missing field `type`/ })
  t.throws(() => requestOf(envelope({ parameters: "text" })), { message: /missing field `parameters`/ })
})

t.test("a member with a wrong value is named", async (t) => {
  const rows: [member: string, values: unknown[], code?: string][] = [
    ["type", ["ACTIVITY_TYPE_NONE"], "ACTIVITY_TYPE_UNKNOWN"],
    ["organizationId", ["nowhere", organizationId.slice(1), `${organizationId}0`]],
    ["timestampMs", [1_700_000_000_000, "1e3", "01", "-1", " 1", "1 ", "12345678901234567", true]],
    ["generateAppProofs", ["true", 1, {}]],
  ]
  for (const [field, values, code = "REQUEST_INVALID"] of rows)
    for (const value of values)
      t.throws(() => requestOf(envelope({ [field]: value })), { code, field }, `${field}: ${String(value)}`)
  for (const timestampMs of ["0", "1", "1234567890123456"])
    t.equal(requestOf(envelope({ timestampMs })).timestampMs, Number(timestampMs))
})

t.test("faults of the parameters have their path, and misspelt members are refused", async (t) => {
  const wrong = { userTagName: 7, userIds: [] }
  const path = { code: "REQUEST_INVALID", field: "parameters.userTagName" }
  t.throws(() => requestOf(envelope({ parameters: wrong })), path)
  const misspelt = envelope({ parameters: { userTagName: "tag", userIds: [], userIdz: [] } })
  t.throws(() => requestOf(misspelt), { code: "REQUEST_INVALID", field: "parameters.userIdz" })
  t.throws(() => requestOf(envelope({ timestampMz: "1" })), { code: "REQUEST_INVALID", field: "timestampMz" })
  t.ok(readPendingBody(Buffer.from(JSON.stringify(misspelt))), "they were judged when it was submitted")
  t.throws(() => requestOf(envelope({ remark: 1 })), { code: "REQUEST_INVALID", field: "remark" })
  const wallet = { type: "ACTIVITY_TYPE_CREATE_WALLET", parameters: { walletName: "W", accounts: [] } }
  t.same(requestOf(envelope({ ...wallet, remark: 1 })).ignored, ["remark"], "activities may ignore others")
})
