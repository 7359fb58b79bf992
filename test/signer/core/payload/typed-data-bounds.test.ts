import t from "tap"
import { hashTypedData } from "../../../../signer/core/payload/typed-data/hash.ts"
import { typedDataOf } from "./typed-data.ts"

t.test("bounds types and members, so that no payload keeps the signer busy", async (t) => {
  const chain = Array.from({ length: 64 }, (_, i) => [
    `A${i}`,
    i === 63 ? [] : [{ name: "next", type: `A${i + 1}` }],
  ])
  t.throws(() => hashTypedData(typedDataOf("A0", {}, Object.fromEntries(chain))), /more than 64 types/)
  const members = Array.from({ length: 512 }, (_, i) => ({ name: `m${i}`, type: "bool" }))
  t.throws(() => hashTypedData(typedDataOf("A", {}, { A: members })), /more than 512 members/)
})

t.test("bounds values and blocks to hash, and nothing that a wallet signs comes near", async (t) => {
  const MOST = /more than 65536 values and blocks to hash/
  const many = (type: string, item: unknown, count: number) =>
    typedDataOf(
      type,
      Array.from({ length: count }, () => item),
      { Empty: [] },
    )
  const tooMany = { "uint8[]": 0, "bool[]": true, "string[]": "", "uint8[][]": [], "Empty[]": {} }
  for (const [type, item] of Object.entries(tooMany))
    t.throws(() => hashTypedData(many(type, item, 60_000)), MOST, type)
  t.throws(() => hashTypedData(typedDataOf("bytes", `0x${"00".repeat(5_000_000)}`)), MOST)
  t.doesNotThrow(() => hashTypedData(many("uint256[]", "1", 20_000)))
  t.doesNotThrow(
    () => hashTypedData(typedDataOf("bytes", `0x${"00".repeat(500_000)}`)),
    "a whole body of bytes",
  )
})
