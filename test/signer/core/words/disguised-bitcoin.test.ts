// What Bitcoin hashes for a signature, sent as bytes.
import { hash } from "node:crypto"
import { Transaction } from "bitcoinjs-lib"
import t from "tap"
import { factsOf, titlesOf, wordsOfPayload } from "./reading.ts"

const sha256 = (bytes: Uint8Array) => hash("sha256", bytes, "buffer")
const twice = (bytes: Uint8Array) => sha256(sha256(bytes))

t.test("W25: what Bitcoin hashes for a signature is shown as a transaction", async (t) => {
  const transaction = new Transaction()
  transaction.version = 2
  transaction.addInput(Buffer.alloc(32, 7), 1)
  transaction.addOutput(Buffer.from(`0014${"ab".repeat(20)}`, "hex"), 5000n)
  const script = Buffer.from(`76a914${"cd".repeat(20)}88ac`, "hex")
  const outpoint = Buffer.concat([Buffer.alloc(32, 7), uint32(1)])
  const outputs = Buffer.concat([
    uint64(5000n),
    Buffer.from([22]),
    transaction.outs[0]?.script ?? Buffer.alloc(0),
  ])
  const sequence = uint32(0xffffffff)

  // BIP-143; bitcoinjs-lib has the same digest.
  const amount = uint64(9000n)
  const sized = Buffer.concat([Buffer.from([script.length]), script])
  const parts = [
    uint32(2),
    twice(outpoint),
    twice(sequence),
    outpoint,
    sized,
    amount,
    sequence,
    twice(outputs),
  ]
  const witness = Buffer.concat([...parts, uint32(0), uint32(1)])
  t.same(twice(witness), Buffer.from(transaction.hashForWitnessV0(0, script, 9000n, 1)))
  const hashed = wordsOfPayload(witness.toString("hex"), "HEXADECIMAL", "SHA256")
  t.same(titlesOf(hashed), ["Bitcoin transaction"])
  t.match(factsOf(hashed), { Spends: `0.00009 BTC (9000 satoshi), output 1 of ${"07".repeat(32)}` })
  t.match(hashed.contents[0]?.warnings, [/sent as bytes/, /recipients are hashed/])

  // Before SegWit: the transaction with the spent script in its input.
  const replaced = transaction.clone()
  replaced.setInputScript(0, script)
  const legacy = Buffer.concat([replaced.toBuffer(), uint32(1)])
  t.same(twice(legacy), Buffer.from(transaction.hashForSignature(0, script, 1)))
  const shown = wordsOfPayload(legacy.toString("hex"), "HEXADECIMAL", "SHA256")
  t.same(titlesOf(shown), ["Bitcoin transaction"])
  t.match(factsOf(shown), { "Output 1": /^0\.00005 BTC \(5000 satoshi\) to bc1q/ })

  // BIP-341, key path: the tag twice, then epoch and hashes.
  const tag = sha256(Buffer.from("TapSighash"))
  const scripts = [outpoint, amount, sized, sequence, outputs].map(sha256)
  const flags = [Buffer.from([0, 0]), uint32(2), uint32(0), ...scripts, Buffer.from([0]), uint32(0)]
  const taproot = Buffer.concat([tag, tag, ...flags])
  t.same(sha256(taproot), Buffer.from(transaction.hashForWitnessV1(0, [script], [9000n], 0)))
  t.same(titlesOf(wordsOfPayload(taproot.toString("hex"), "HEXADECIMAL", "SHA256")), ["Bitcoin transaction"])
})

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

function uint64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(value)
  return bytes
}

t.test("W25: preimages of Bitcoin are recognized with every version and flag", async (t) => {
  const parts = (version: number, flag: number) =>
    Buffer.concat([
      uint32(version),
      Buffer.alloc(64, 1),
      Buffer.alloc(36, 2),
      Buffer.from([1, 0x51]),
      uint64(9000n),
      uint32(0),
      Buffer.alloc(32, 3),
      uint32(0),
      uint32(flag),
    ])
  // Bitcoin Cash sets 0x40. Miners take other versions and flags than wallets write.
  for (const [version, flag] of [
    [2, 0x41],
    [1, 0xc3],
    [0, 1],
    [4, 1],
    [2, 0x7f],
  ] as const)
    t.same(
      titlesOf(wordsOfPayload(parts(version, flag).toString("hex"), "HEXADECIMAL", "SHA256")),
      ["Bitcoin transaction"],
      `version ${version}, flag ${flag}`,
    )
  const other = wordsOfPayload(parts(2 ** 31, 1).toString("hex"), "HEXADECIMAL", "SHA256")
  t.same(titlesOf(other), ["Bytes"])
})
