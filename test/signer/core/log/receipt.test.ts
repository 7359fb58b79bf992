import { randomBytes, randomInt } from "node:crypto"
import t from "tap"
import { readLogReceipt, writeLogReceipt } from "../../../../signer/core/log/receipt.ts"

t.test("a receipt is read as it was written, in one spelling", async (t) => {
  for (let round = 0; round < 500; round++) {
    const large = () => Math.floor(2 ** randomInt(45) * Math.random())
    const startIndex = large()
    const receipt = {
      status: randomInt(8),
      lane: randomInt(300),
      era: round % 2 === 0 ? 0 : 1_800_000_000,
      startIndex,
      counter: large(),
      index: startIndex + large(),
      salt: Uint8Array.from(randomBytes(32)),
    }
    const bytes = writeLogReceipt(receipt)
    t.strictSame(readLogReceipt(bytes), receipt)
    t.equal(readLogReceipt(bytes.subarray(1)), undefined)
    t.equal(readLogReceipt(bytes.subarray(0, -1)), undefined)
    t.equal(readLogReceipt(Buffer.concat([bytes, Buffer.alloc(1)])), undefined)
  }
})

t.test("a receipt of a signature is small", async (t) => {
  const receipt = {
    status: 3,
    lane: 1,
    era: 0,
    startIndex: 0,
    counter: 90,
    index: 100_000,
    salt: randomBytes(32),
  }
  t.equal(writeLogReceipt(receipt).length, 41)
})

t.test("other spellings and other versions are none", async (t) => {
  const salt = "00".repeat(32)
  t.ok(readLogReceipt(Buffer.from(`01030100000101${salt}`, "hex")))
  for (const numbers of [
    "02030100000101",
    "0183000100000101",
    "01030100000181",
    `01${"ff".repeat(8)}0100000101`,
    "01",
    "",
  ])
    t.equal(readLogReceipt(Buffer.from(numbers + salt, "hex")), undefined, numbers)
})
