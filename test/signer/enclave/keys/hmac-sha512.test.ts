import { createHmac } from "node:crypto"
import t from "tap"
import { hmacSha512 } from "../../../../signer/enclave/keys/derive/scheme.ts"
import { publishedVectors } from "../../../harness/vectors.ts"
import { countingRandom, fromHex, toHex } from "./tools.ts"

t.test("hmacSha512 agrees with node's HMAC for keys and data of every length", async (t) => {
  for (let length = 0; length <= 128; length++) {
    const key = countingRandom(length)(length)
    const data = countingRandom(3 * length)(2 * length)
    const expected = createHmac("sha512", key).update(data).digest("hex")
    if (toHex(hmacSha512(key, data)) !== expected) t.fail(`length ${length}`)
  }
})

t.test("hmacSha512 refuses a key longer than a block", async (t) => {
  t.throws(() => hmacSha512(new Uint8Array(129), new Uint8Array(1)), RangeError)
})

type Wycheproof = {
  testGroups: {
    tagSize: number
    tests: { tcId: number; key: string; msg: string; tag: string; result: string }[]
  }[]
}
const wycheproof = publishedVectors<Wycheproof>("wycheproof/hmac_sha512_test.json")

t.test("hmacSha512 agrees with the Wycheproof vectors", wycheproof.options, async (t) => {
  let count = 0
  for (const { tagSize, tests } of wycheproof.read().testGroups) {
    for (const { tcId, key, msg, tag, result } of tests) {
      if (key.length > 2 * 128) continue
      const mac = toHex(hmacSha512(fromHex(key), fromHex(msg))).slice(0, tagSize / 4)
      if ((mac === tag) !== (result === "valid")) t.fail(`test ${tcId}`)
      count++
    }
  }
  t.equal(count, 174)
})
