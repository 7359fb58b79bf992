// Leaves and statements of the log: one spelling of each is read.
import t from "tap"
import { readDecision, readLeaf, writeDecision, writeLeaf } from "../../../../signer/core/log/leaf.ts"

const ID = "0198c0de-0000-7000-8000-000000000001"
const decision = {
  organizationId: ID,
  activityId: ID,
  fingerprint: "cd".repeat(32),
  status: 1,
  counter: 3,
  startIndex: 1,
  decidedAtMs: 1_767_225_600_000,
}

t.test("C-1931: a leaf or statement with a number above 2^53 - 1 is not read", async (t) => {
  const leaf = Buffer.alloc(50)
  writeLeaf(
    { kind: "decision", timeSeconds: Number.MAX_SAFE_INTEGER, sequence: 9n, value: Buffer.alloc(32, 1) },
    leaf,
  )
  t.equal(readLeaf(leaf)?.timeSeconds, Number.MAX_SAFE_INTEGER)
  leaf.writeBigUInt64BE(2n ** 53n + 1n, 2)
  t.equal(readLeaf(leaf), undefined)
  const counts = [105, 113, 121]
  for (const at of counts) {
    const statement = Buffer.from(writeDecision(decision))
    statement.writeBigUInt64BE(BigInt(Number.MAX_SAFE_INTEGER), at)
    const read = readDecision(statement)
    t.ok(read !== undefined && Buffer.from(writeDecision(read)).equals(statement), `${at}`)
    statement.writeBigUInt64BE(2n ** 53n + 1n, at)
    t.equal(readDecision(statement), undefined, `${at}`)
  }
})
