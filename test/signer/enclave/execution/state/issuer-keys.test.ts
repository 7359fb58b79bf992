import t, { type Test } from "tap"
import { STATEMENT_LIFETIME_MS } from "../../../../../signer/core/fetch-orders/order.ts"
import { IssuerKeyStore } from "../../../../../signer/enclave/execution/state/issuer-keys.ts"
import { create } from "../../ledger/harness.ts"

const ISSUER = "https://issuer.example"
const keyring = { identity: new Uint8Array(32).fill(3) } as never
const NOW = 1_000_000_000
const keys = (...ids: string[]) => ids.map((keyId) => ({ keyId })) as never[]
const times = (fetchedAtMs = NOW, nowMs = NOW) => ({ fetchedAtMs, nowMs, untilMs: NOW + 600_000 })

function setup(t: Test) {
  const ledger = create(t.testdir())
  t.teardown(() => ledger.close())
  return { ledger, known: new IssuerKeyStore(ledger, keyring) }
}

t.test("an issuer's keys are known until their statement expires", async (t) => {
  const { known } = setup(t)
  const need = { issuer: ISSUER, keyId: "a" }
  t.equal(known.find(need, NOW), undefined)
  t.ok(known.learn(ISSUER, keys("a"), times()))
  t.same(known.find(need, NOW + 599_999), keys("a"))
  t.equal(known.find(need, NOW + 600_000), undefined)
  t.equal(known.find({ ...need, issuer: "https://other.example" }, NOW), undefined)
})

t.test("an unknown key id asks the fetcher once a minute", async (t) => {
  const { known } = setup(t)
  known.learn(ISSUER, keys("a", "z"), times())
  const later = NOW + 60_000
  for (const [keyId, nowMs, isKnown] of [
    ["b", later - 1, true],
    ["b", later, false],
    ["a", later, true],
    [undefined, later, true],
  ] as const)
    t.equal(known.find({ issuer: ISSUER, keyId }, nowMs) !== undefined, isKnown, `${keyId} ${nowMs}`)
})

t.test("F6: an older statement changes nothing, also after a restart", async (t) => {
  const { ledger, known } = setup(t)
  known.learn(ISSUER, keys("new"), times(NOW))
  const need = { issuer: ISSUER, keyId: undefined }
  t.notOk(known.learn(ISSUER, keys("withdrawn"), times(NOW - 1)))
  t.same(known.find(need, NOW), keys("new"))
  t.ok(known.learn(ISSUER, keys("same"), times(NOW)), "the same statement is learned again")
  await ledger.commit([])
  const restarted = new IssuerKeyStore(ledger, keyring)
  t.notOk(restarted.learn(ISSUER, keys("withdrawn"), times(NOW - 1)))
  t.equal(restarted.find(need, NOW), undefined)
  t.ok(restarted.learn(ISSUER, keys("new"), times(NOW)))
  t.ok(restarted.learn("https://other.example", keys("a"), times(1)))
})

t.test("the time of a statement is kept until every older one has expired", async (t) => {
  const { ledger, known } = setup(t)
  known.learn(ISSUER, keys("a"), times(NOW))
  await ledger.commit([])
  t.equal(await ledger.purge(NOW + STATEMENT_LIFETIME_MS - 1), 0)
  t.notOk(new IssuerKeyStore(ledger, keyring).learn(ISSUER, keys("a"), times(NOW - 1)))
  t.equal(await ledger.purge(NOW + STATEMENT_LIFETIME_MS), 1)
})

t.test("a statement that is no newer writes nothing, and a full disk fails no caller", async (t) => {
  let commits = 0
  const ledger = { row: () => undefined, commit: () => Promise.reject(new Error(`disk full ${commits++}`)) }
  const known = new IssuerKeyStore(ledger as never, keyring)
  t.ok(known.learn(ISSUER, keys("a"), times()))
  t.ok(known.learn(ISSUER, keys("a"), times()))
  await new Promise((resolve) => setImmediate(resolve))
  t.equal(commits, 1)
})
