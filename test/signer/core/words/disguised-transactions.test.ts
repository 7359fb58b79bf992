// A colleague who may only ask for signatures of bytes and messages sends a transaction as such.
import { readFileSync } from "node:fs"
import { hash } from "node:crypto"
import t from "tap"
import { factsOf, HASHES, titlesOf, wordsOf, wordsOfPayload } from "./reading.ts"

type Vector = { name: string; type: string; unsignedTransaction: string; signingHash: string }
const vectors = JSON.parse(
  readFileSync(new URL("../../../vectors/own/transactions.json", import.meta.url), "utf8"),
) as { signed: Vector[] }
const sha256 = (bytes: Uint8Array) => hash("sha256", bytes, "buffer")

t.test(
  "W25: a transaction that is sent as bytes is shown as the transaction that it is, whatever hash is named",
  async (t) => {
    const seen = new Set<string>()
    for (const { name, type, unsignedTransaction } of vectors.signed) {
      if (type === "TRANSACTION_TYPE_BITCOIN") continue
      seen.add(type)
      const [honest] = wordsOf("SIGN_TRANSACTION_V2", { type, unsignedTransaction, signWith: "0x1" }).contents
      for (const hashFunction of HASHES) {
        for (const payload of [unsignedTransaction, `0x${unsignedTransaction}`]) {
          const [shown] = wordsOfPayload(payload, "HEXADECIMAL", hashFunction).contents
          t.same([shown?.title, shown?.facts], [honest?.title, honest?.facts], name)
          t.match(
            shown?.warnings[0],
            /^This is a transaction, sent as bytes: its signature is good on the chain/,
          )
          t.same(shown?.warnings.slice(1), honest?.warnings)
        }
      }
    }
    t.same(seen, new Set(["TRANSACTION_TYPE_ETHEREUM", "TRANSACTION_TYPE_SOLANA", "TRANSACTION_TYPE_TRON"]))
  },
)

t.test(
  "W25: the message of a Solana transaction, which is what is signed, is shown as the transaction",
  async (t) => {
    for (const { name, type, unsignedTransaction } of vectors.signed) {
      if (type !== "TRANSACTION_TYPE_SOLANA") continue
      const bytes = Buffer.from(unsignedTransaction, "hex")
      const message = bytes.subarray(1 + 64 * (bytes[0] ?? 0))
      const [honest] = wordsOf("SIGN_TRANSACTION_V2", { type, unsignedTransaction, signWith: "0x1" }).contents
      for (const hashFunction of HASHES) {
        const [shown] = wordsOfPayload(message.toString("hex"), "HEXADECIMAL", hashFunction).contents
        t.same([shown?.title, shown?.facts], [honest?.title, honest?.facts], name)
        t.match(shown?.warnings[0], /no policy on transactions applies/)
      }
    }
  },
)

t.test("W25: a Solana message that is sent as text is shown as the transaction", async (t) => {
  // Every byte is a character of ASCII and none is U+0000: two signers, two programs, one instruction.
  const keys = ["A", "B", "C", "D", "E"].map((letter) => Buffer.alloc(32, letter))
  const instruction = Buffer.from([3, 2, 1, 2, 4, ...Buffer.from("data")])
  const message = Buffer.concat([Buffer.from([2, 1, 1, 4]), ...keys, Buffer.from([1]), instruction])
  const text = message.toString()
  t.ok(Buffer.from(text).equals(message), "the text is these bytes")
  for (const hashFunction of HASHES)
    for (const shown of [
      wordsOfPayload(text, "TEXT_UTF8", hashFunction),
      wordsOfPayload(message.toString("hex"), "HEXADECIMAL", hashFunction),
    ]) {
      t.same(titlesOf(shown), ["Solana transaction"])
      t.match(shown.contents[0]?.warnings[0], /^This is a transaction, sent as bytes/)
    }
})

t.test(
  "W25: the raw_data of a Tron transaction, which is what is signed, is shown as the transaction",
  async (t) => {
    const tron = vectors.signed.filter(({ type }) => type === "TRANSACTION_TYPE_TRON")
    t.ok(tron.length > 0)
    for (const { name, type, unsignedTransaction, signingHash } of tron) {
      const [honest] = wordsOf("SIGN_TRANSACTION_V2", { type, unsignedTransaction, signWith: "0x1" }).contents
      // Some wallets pass the whole transaction, whose first member is raw_data.
      const whole = Buffer.from(unsignedTransaction, "hex")
      const candidates = [whole, ...rawDataIn(whole)]
      const signed = candidates.find(
        (bytes) => sha256(bytes).toString("hex") === signingHash.replace(/^0x/, ""),
      )
      t.ok(signed, `${name}: the bytes whose digest is signed`)
      for (const hashFunction of HASHES) {
        const [shown] = wordsOfPayload(signed!.toString("hex"), "HEXADECIMAL", hashFunction).contents
        t.same([shown?.title, shown?.facts], [honest?.title, honest?.facts], name)
      }
    }
  },
)

/** The first member of a protobuf message, if it is field 1 of bytes. */
function rawDataIn(bytes: Buffer): Buffer[] {
  if (bytes[0] !== 0x0a) return []
  let [length, shift, at] = [0, 0, 1]
  for (; at < bytes.length; at++, shift += 7) {
    length |= ((bytes[at] ?? 0) & 0x7f) << shift
    if (((bytes[at] ?? 0) & 0x80) === 0) break
  }
  return [bytes.subarray(at + 1, at + 1 + length)]
}

t.test("W25: a transaction of a Cosmos chain is shown as such, as text and as bytes", async (t) => {
  const value = {
    amount: [{ amount: "1000000", denom: "uatom" }],
    from_address: "cosmos1a",
    to_address: "cosmos1b",
  }
  const document = {
    account_number: "7",
    chain_id: "cosmoshub-4",
    fee: { amount: [{ amount: "5", denom: "uatom" }], gas: "1" },
    memo: "Log in",
    msgs: [{ type: "cosmos-sdk/MsgSend", value }],
    sequence: "0",
  }
  const text = JSON.stringify(document)
  for (const hashFunction of HASHES)
    for (const shown of [
      wordsOfPayload(text, "TEXT_UTF8", hashFunction),
      wordsOfPayload(Buffer.from(text).toString("hex"), "HEXADECIMAL", hashFunction),
    ]) {
      t.same(titlesOf(shown), ["Cosmos transaction", "Message"])
      t.match(
        shown.sentence,
        /^Sign a transaction of a Cosmos chain, "cosmoshub-4": "cosmos-sdk\/MsgSend" \(/,
      )
      t.match(shown.contents[0]?.warnings[0], /^This is a transaction, sent as bytes/)
      t.match(factsOf(shown), {
        "msgs[0].value.amount[0].amount": '"1000000"',
        "msgs[0].value.to_address": '"cosmos1b"',
        "fee.amount[0].amount": '"5"',
      })
    }

  const field = (number: number, bytes: Uint8Array) =>
    Buffer.concat([Buffer.from([number * 8 + 2, bytes.length]), bytes])
  const message = [
    field(1, Buffer.from("/cosmos.bank.v1beta1.MsgSend")),
    field(2, Buffer.from("abcd", "hex")),
  ]
  const body = Buffer.concat([field(1, Buffer.concat(message)), field(2, Buffer.from("a memo"))])
  for (const account of [[], [0x20, 7]]) {
    const direct = Buffer.concat([
      field(1, body),
      field(2, Buffer.from([0x12, 0])),
      field(3, Buffer.from("osmosis-1")),
      Buffer.from(account),
    ])
    const shown = wordsOfPayload(direct.toString("hex"), "HEXADECIMAL", "SHA256")
    t.same(titlesOf(shown), ["Cosmos transaction"])
    t.match(shown.sentence, 'a transaction of a Cosmos chain, "osmosis-1": "/cosmos.bank.v1beta1.MsgSend"')
    t.match(factsOf(shown), { "Message 1 › Fields": "abcd", Memo: '"a memo"' })
    t.match(shown.contents[0]?.warnings, [/sent as bytes/, /Nobody can see/])
  }
  for (const other of [
    { ...document, msgs: "none" },
    { ...document, msgs: [{ type: "sign/MsgSignData", value }] },
    { ...document, fee: undefined },
    [document],
    "chain_id",
  ])
    t.same(titlesOf(wordsOfPayload(JSON.stringify(other), "TEXT_UTF8", "SHA256")), ["Message"])
})
