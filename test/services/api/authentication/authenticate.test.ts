import t from "tap"
import { ORGANIZATION_ID, storeOrganization, user } from "../documents.ts"
import { signBody, submitBody } from "../prepared.ts"
import { startApi } from "../start-api.ts"
import { makeKey, stamp } from "../stamps.ts"

const keys = { alice: makeKey(), late: makeKey() }
const api = await startApi(t)
const { post, send } = api
const alice = user("alice", keys.alice)
const late = user("late", keys.late, 1n)
await storeOrganization(api.sql, {
  users: [alice, late],
  rootQuorum: { threshold: 1, userIds: [alice.userId] },
})

const SIGN = "/public/v1/submit/sign_raw_payload"
const raw = (body: string, headers: Record<string, string>) => send(SIGN, { method: "POST", body, headers })

t.test("refused before the signer is asked", async (t) => {
  const body = signBody()
  const cases: [string, Promise<{ status: number; json: object }>, object][] = [
    ["no stamp", raw(body, {}), { status: 401, json: { code: 16, turnkeyErrorCode: "SIGNATURE_MISSING" } }],
    [
      "two kinds of stamp",
      raw(body, { "x-stamp": stamp(keys.alice, body), "x-stamp-webauthn": "{}" }),
      { status: 401, json: { turnkeyErrorCode: "SIGNATURE_INVALID" } },
    ],
    [
      "a stamp sent twice",
      raw(body, { "x-stamp": `${stamp(keys.alice, body)}, ${stamp(keys.alice, body)}` }),
      { status: 401, json: { turnkeyErrorCode: "SIGNATURE_INVALID" } },
    ],
    [
      "a stamp over another body",
      raw(body, { "x-stamp": stamp(keys.alice, signBody("other")) }),
      { status: 401, json: { code: 16, turnkeyErrorCode: "SIGNATURE_INVALID" } },
    ],
    [
      "an unknown key",
      post("submit/sign_raw_payload", body, makeKey()),
      {
        status: 401,
        json: {
          message: /could not find public key in organization or its parent organization/,
          turnkeyErrorCode: "PUBLIC_KEY_NOT_FOUND",
        },
      },
    ],
    [
      "an expired key",
      post("submit/sign_raw_payload", body, keys.late),
      {
        status: 401,
        json: {
          message: /^expired api key: .*Unauthenticated desc = expired api key publicKey=0/,
          turnkeyErrorCode: "API_KEY_EXPIRED",
        },
      },
    ],
    [
      "an unknown organization",
      post("submit/sign_raw_payload", signBody("x", "6f0b1c1e-0000-4000-8000-00000000ffff"), keys.alice),
      {
        status: 400,
        json: { message: /failed to load organizations/, turnkeyErrorCode: "ORGANIZATION_NOT_FOUND" },
      },
    ],
  ]
  for (const [name, reply, expected] of cases) t.match(await reply, expected, name)
  t.equal(api.signer.orders.length, 0)
})

t.test("refuses a body by its envelope", async (t) => {
  const at = (timestampMs: unknown) => JSON.stringify({ ...JSON.parse(signBody()), timestampMs })
  const cases: [string, string, object][] = [
    ["malformed JSON", "{", { json: { code: 3, message: /not strict JSON/ } }],
    ["a duplicate member", '{"type":1,"type":2}', { json: { code: 3 } }],
    ["no object", "[]", { json: { code: 3 } }],
    [
      "a type of another path",
      submitBody("CREATE_WALLET", {}),
      { json: { message: /does not belong to this path/ } },
    ],
    [
      "an unknown type",
      submitBody("NOTHING", {}),
      { json: { message: /type is not an activity type; this path takes / } },
    ],
    [
      "no parameters",
      signBody().replace("parameters", "params"),
      { json: { message: /missing field `parameters`/ } },
    ],
    [
      "an organization id that is none",
      signBody("x", "dev"),
      { json: { message: "malformed organization ID provided" } },
    ],
    ["a time that is a number", at(Date.now()), { json: { message: /timestampMs/ } }],
    ["a time in hex", at("0x10"), { json: { message: /timestampMs must be/ } }],
    ["a stale time", at(String(Date.now() - 3_600_000)), { json: { turnkeyErrorCode: "INVALID_TIME" } }],
    ["a future time", at(String(Date.now() + 301_000)), { json: { turnkeyErrorCode: "INVALID_TIME" } }],
    [
      "a missing parameter, by its path",
      submitBody("SIGN_RAW_PAYLOAD_V2", { signWith: "a" }),
      { json: { details: [{}, { fieldViolations: [{ field: "parameters.payload" }] }] } },
    ],
    [
      "an unknown enum value",
      signBody().replace("KECCAK256", "MD5"),
      { json: { details: [{}, { fieldViolations: [{ field: "parameters.hashFunction" }] }] } },
    ],
  ]
  for (const [name, body, expected] of cases) {
    t.match(await post("submit/sign_raw_payload", body, keys.alice), { status: 400, ...expected }, name)
  }
  t.equal(api.signer.orders.length, 0)
  t.same(await api.sql`select 1 from activities`, [])
})

t.test("takes the organization id in any case", async (t) => {
  const reply = await post("query/whoami", { organizationId: ORGANIZATION_ID.toUpperCase() }, keys.alice)
  t.match(reply, { status: 200, json: { organizationId: ORGANIZATION_ID, username: "alice" } })
})
