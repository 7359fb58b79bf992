// Stamps that only the signer verifies: those of keys in use, and the reply to an invalid one.
import t, { type Test } from "tap"
import { RefusalCode } from "../../../../proto/gen/countersign/signer/v1/refusal_pb.ts"
import type { OrderParts } from "../../../../services/api/signer/signer.ts"
import { Metrics } from "../../../../services/common/metrics/metrics.ts"
import { readIpBlock } from "../../../../signer/core/organization/ip-block.ts"
import { Refusal } from "../../../../signer/core/refusal.ts"
import { readStamp } from "../../../../signer/core/stamp/read-stamp.ts"
import { requireStamp } from "../../../../signer/core/stamp/verify.ts"
import { type DocumentParts, ORGANIZATION_ID, storeOrganization, user } from "../documents.ts"
import { denied, refused, signBody, signed, submitBody } from "../prepared.ts"
import { makeKey, stamp, type TestKey } from "../stamps.ts"
import { type Reply, startApi } from "../start-api.ts"
import type { PreparedAnswer } from "../stub-signer.ts"
import { withoutRequestId } from "./quorum-of-two.ts"

const PATH = "/public/v1/submit/sign_raw_payload"

/** Stamps that the signer accepts before further ones are left to it. */
const ACCEPTED = 4

/** An API with users of one key each, whose signer verifies stamps before it answers. */
async function started(t: Test, keyCount = 1, parts: DocumentParts = {}) {
  const keys = Array.from({ length: keyCount }, makeKey)
  const alice = user("alice", makeKey())
  const metrics = new Metrics()
  const api = await startApi(t, { metrics, trustedProxies: [readIpBlock("127.0.0.1/32")!] })
  await storeOrganization(api.sql, {
    ...parts,
    users: [alice, ...keys.map((key, index) => user(`user ${index}`, key))],
  })
  const { signer, send, post } = api
  const verified = (order: OrderParts): PreparedAnswer => {
    try {
      requireStamp(readStamp(order.xStamp), order.body)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return refused(RefusalCode.STAMP_INVALID, error.message)
    }
    return signed(alice.userId)(order)
  }
  /** A request with a stamp over another body, from an address of its own: a caller who is not remembered. */
  const sendForged = (key: TestKey, body = signBody("forged")) => {
    const headers = { "x-stamp": stamp(key, `${body} `), "x-forwarded-for": "203.0.113.9" }
    return send(PATH, { method: "POST", body, headers })
  }
  const sign = (key: TestKey, body = signBody()) => {
    signer.answers.push(verified)
    return post("submit/sign_raw_payload", body, key, { "x-forwarded-for": "192.0.2.5" })
  }
  /** Number of callers that are remembered. */
  const callers = async () => Number(/cache_entries\{cache="callers"\} (\d+)/.exec(await metrics.text())?.[1])
  const remember = async (key: TestKey) => {
    for (let count = 0; count < ACCEPTED; count++) await sign(key, signBody(String(count)))
  }
  return { ...api, keys, alice, verified, sendForged, sign, remember, callers }
}

const INVALID = { status: 401, json: { code: 16 } }

const seen = ({ status, json }: Reply) => ({ status, json: withoutRequestId(json) })

t.test(
  "C-1891: a stamp reaches the signer unverified only after four accepted ones of its credential",
  async (t) => {
    const { signer, sendForged, sign, verified, keys } = await started(t)
    const [key = makeKey()] = keys
    for (let count = 0; count < ACCEPTED; count++) {
      t.match(await sendForged(key), INVALID)
      t.equal(signer.orders.length, count)
      t.equal((await sign(key, signBody(String(count)))).status, 200)
    }
    signer.answers.push(verified)
    t.match(await sendForged(key), INVALID)
    t.equal(signer.orders.length, ACCEPTED + 1, "the signer refused it")
    t.match(await sendForged(key), INVALID)
    t.equal(signer.orders.length, ACCEPTED + 1, "further ones are verified before")
    t.equal((await sign(key)).status, 200)
  },
)

t.test("W170: an invalid stamp gets the same reply whatever is known, and leaves nothing", async (t) => {
  const done = signBody("done")
  const bodies = {
    new: signBody("new"),
    done,
    stale: signBody("stale").replace(/"timestampMs":"\d+"/, '"timestampMs":"1700000000000"'),
  }
  const kinds = ["verifies it", "knows the body", "knows no key", "is busy", "denies", "is away"] as const
  const cases = kinds.flatMap((kind) => Object.entries(bodies).map(([name, body]) => ({ kind, name, body })))
  const { signer, sql, keys, alice, verified, sendForged, sign, remember, callers } = await started(
    t,
    cases.length + 1,
  )
  /** What the signer says about an order with an invalid stamp, also before it has verified it. */
  const answers: { readonly [kind in (typeof kinds)[number]]: (order: OrderParts) => PreparedAnswer } = {
    "verifies it": verified,
    "knows the body": () => refused(RefusalCode.ACTIVITY_REPLAYED, "the body was used"),
    "knows no key": () => refused(RefusalCode.SIGN_WITH_UNKNOWN, "no key"),
    "is busy": () => refused(RefusalCode.SIGNER_BUSY, "busy"),
    denies: () => denied(alice.userId),
    "is away": () => {
      throw new Error("away")
    },
  }
  t.equal((await sign(keys.at(-1) ?? makeKey(), done)).status, 200)
  const left = async () => ({
    activities: await sql`select id from activities order by id`,
    callers: await callers(),
  })
  for (const [index, { kind, name, body }] of cases.entries()) {
    const key = keys[index] ?? makeKey()
    const expected = seen(await sendForged(key, body))
    t.match(expected, INVALID)
    await remember(key)
    const before = await left()
    signer.answers.push(answers[kind])
    t.same(seen(await sendForged(key, body)), expected, `the signer ${kind}, the body is ${name}`)
    t.same(await left(), before)
    const unasked = signer.answers.splice(0).length
    t.equal(unasked, name === "stale" ? 1 : 0, "a stale body is refused before the signer is asked")
    signer.answers.push(answers[kind])
    t.same(seen(await sendForged(key, body)), expected)
    t.equal(signer.answers.splice(0).length, 1, "further stamps are verified before the signer is asked")
  }
})

t.test("a stamp that is left to the signer and is valid has the replies of any other", async (t) => {
  const { signer, keys, alice, sign, remember, post, sql, callers } = await started(t, 2)
  const [key = makeKey(), other = makeKey()] = keys
  await remember(key)
  const answers = [
    () => refused(RefusalCode.SIGN_WITH_UNKNOWN, "no key"),
    () => refused(RefusalCode.SIGNER_BUSY, "busy"),
    () => denied(alice.userId),
  ]
  for (const [index, answer] of answers.entries()) {
    const replies = []
    for (const one of [key, other]) {
      signer.answers.push(answer)
      const before = await callers()
      const headers = { "x-forwarded-for": `198.51.100.${index}` }
      const { status, json } = await post("submit/sign_raw_payload", signBody(), one, headers)
      replies.push({ status, code: json["code"], message: json["message"] })
      t.equal(await callers(), before + 1, "the caller is remembered")
    }
    t.same(replies[0], replies[1])
  }
  t.equal((await sql`select from activities where denied_user_id is not null`).length, 2)
  t.equal((await sign(key)).status, 200)
})

t.test(
  "an address that is not allowed is refused before the signer is asked, and learns nothing with an invalid stamp",
  async (t) => {
    const ipAllowlists = [{ enabled: true, blocks: [{ cidr: "192.0.2.0/24" }] }]
    const { signer, keys, post, sendForged, remember } = await started(t, 1, { ipAllowlists })
    const [key = makeKey()] = keys
    const body = signBody()
    const expected = seen(await sendForged(key, body))
    await remember(key)
    const asked = signer.orders.length
    const elsewhere = await post("submit/sign_raw_payload", body, key, { "x-forwarded-for": "203.0.113.9" })
    t.match(elsewhere, { status: 403, json: { code: 7, message: /IP allowlist/ } })
    t.same(seen(await sendForged(key, body)), expected)
    t.equal(signer.orders.length, asked)
  },
)

t.test("other activities are verified before the signer is asked", async (t) => {
  const { signer, send, keys, remember } = await started(t)
  const [key = makeKey()] = keys
  await remember(key)
  const asked = signer.orders.length
  const body = submitBody("CREATE_USER_TAG", { userTagName: "tag", userIds: [] }, ORGANIZATION_ID)
  const headers = { "x-stamp": stamp(key, `${body} `) }
  t.match(await send("/public/v1/submit/create_user_tag", { method: "POST", body, headers }), INVALID)
  t.equal(signer.orders.length, asked)
})
