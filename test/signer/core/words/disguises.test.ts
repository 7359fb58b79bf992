// A colleague who may only ask for signatures of bytes and messages sends something else as such.
import { readFileSync } from "node:fs"
import { hash } from "node:crypto"
import { Transaction } from "bitcoinjs-lib"
import t from "tap"
import { concat, encodeAbiParameters, keccak256, stringToHex, toRlp } from "viem"
import type { Words } from "../../../../signer/core/words/words.ts"
import { factsOf, wordsOf, wordsOfPayload } from "./reading.ts"

type Vector = { name: string; type: string; unsignedTransaction: string; signingHash: string }
const vectors = JSON.parse(
  readFileSync(new URL("../../../vectors/own/transactions.json", import.meta.url), "utf8"),
) as { signed: Vector[] }

const HASHES = ["KECCAK256", "SHA256", "NOT_APPLICABLE"]
const titles = ({ contents }: Words) => contents.map(({ title }) => title)

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
      t.same(titles(shown), ["Solana transaction"])
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
  t.same(titles(hashed), ["Bitcoin transaction"])
  t.match(factsOf(hashed), { Spends: `0.00009 BTC (9000 satoshi), output 1 of ${"07".repeat(32)}` })
  t.match(hashed.contents[0]?.warnings, [/sent as bytes/, /recipients are hashed/])

  // Before SegWit: the transaction with the spent script in its input.
  const replaced = transaction.clone()
  replaced.setInputScript(0, script)
  const legacy = Buffer.concat([replaced.toBuffer(), uint32(1)])
  t.same(twice(legacy), Buffer.from(transaction.hashForSignature(0, script, 1)))
  const shown = wordsOfPayload(legacy.toString("hex"), "HEXADECIMAL", "SHA256")
  t.same(titles(shown), ["Bitcoin transaction"])
  t.match(factsOf(shown), { "Output 1": /^0\.00005 BTC \(5000 satoshi\) to bc1q/ })

  // BIP-341, key path: the tag twice, then epoch and hashes.
  const tag = sha256(Buffer.from("TapSighash"))
  const scripts = [outpoint, amount, sized, sequence, outputs].map(sha256)
  const flags = [Buffer.from([0, 0]), uint32(2), uint32(0), ...scripts, Buffer.from([0]), uint32(0)]
  const taproot = Buffer.concat([tag, tag, ...flags])
  t.same(sha256(taproot), Buffer.from(transaction.hashForWitnessV1(0, [script], [9000n], 0)))
  t.same(titles(wordsOfPayload(taproot.toString("hex"), "HEXADECIMAL", "SHA256")), ["Bitcoin transaction"])
})

const sha256 = (bytes: Uint8Array) => hash("sha256", bytes, "buffer")
const twice = (bytes: Uint8Array) => sha256(sha256(bytes))

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

t.test("W25: 32 bytes may be a digest, whatever hash is named and however well they read", async (t) => {
  // Among four billion transactions there is one whose digest is a text.
  const text = "d9ʘk\tβ7q~{Zä#u!fx0}Rw`Hñ2aBc"
  t.equal(Buffer.byteLength(text), 32)
  for (const hashFunction of ["NO_OP", ...HASHES]) {
    for (const shown of [
      wordsOfPayload(text, "TEXT_UTF8", hashFunction),
      wordsOfPayload("ab".repeat(32), "HEXADECIMAL", hashFunction),
    ]) {
      t.match(shown.contents[0], { title: "Possible digest", warnings: [/any transaction or message/] })
      t.match(shown.sentence, /^Sign 32 bytes that may be a digest/)
      t.match(shown.line, /32 bytes that may be a digest/)
    }
  }
  t.same(titles(wordsOfPayload(text, "TEXT_UTF8", "KECCAK256")), ["Possible digest", "Message"])
})

t.test("W25: a message (EIP-191) of 32 bytes may be a digest, however well it reads", async (t) => {
  for (const content of [Buffer.alloc(32, 0xab), Buffer.from("Log in to example.org, number 12")]) {
    t.equal(content.length, 32)
    const payload = Buffer.concat([Buffer.from("\u0019Ethereum Signed Message:\n32"), content])
    for (const hashFunction of HASHES) {
      const shown = wordsOfPayload(payload.toString("hex"), "HEXADECIMAL", hashFunction)
      t.match(shown.contents[0], {
        title: "Possible digest in a message (EIP-191)",
        facts: [{ name: "Bytes", value: content.toString("hex") }],
        warnings: [/any transaction or message/, /Safe/],
      })
      t.match(shown.sentence, /^Sign a message \(EIP-191\) of 32 bytes that may be a digest/)
    }
  }
})

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
      titles(wordsOfPayload(parts(version, flag).toString("hex"), "HEXADECIMAL", "SHA256")),
      ["Bitcoin transaction"],
      `version ${version}, flag ${flag}`,
    )
  const other = wordsOfPayload(parts(2 ** 31, 1).toString("hex"), "HEXADECIMAL", "SHA256")
  t.same(titles(other), ["Bytes"])
})

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
      t.same(titles(shown), ["Cosmos transaction", "Message"])
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
    t.same(titles(shown), ["Cosmos transaction"])
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
    t.same(titles(wordsOfPayload(JSON.stringify(other), "TEXT_UTF8", "SHA256")), ["Message"])
})

t.test("W25: hashes of typed data and authorizations are described as such", async (t) => {
  const separator = keccak256(encodeAbiParameters([{ type: "string" }], ["a domain"]))
  const message = keccak256(stringToHex("a permit"))
  const typed = wordsOfPayload(concat(["0x1901", separator, message]), "HEXADECIMAL", "KECCAK256")
  t.same(titles(typed), ["Typed data by its hashes (EIP-712)"])
  t.match(factsOf(typed), { "Hash of the domain": separator, "Hash of the message": message })
  const code = `0x${"11".repeat(20)}` as const
  const authorization = concat(["0x05", toRlp(["0x1", code, "0x"])])
  const shown = wordsOfPayload(authorization, "HEXADECIMAL", "KECCAK256")
  t.same(titles(shown), ["Authorization (EIP-7702)"])
  t.match(factsOf(shown), { "Code of": code, Chain: "Ethereum (eip155:1)", Nonce: "0" })
})

t.test("W25: bytes that no person can read are never shown without a warning", async (t) => {
  const opaque = [
    wordsOfPayload("00ff", "HEXADECIMAL", "KECCAK256"),
    wordsOfPayload("\u0019\u0001 is no message", "TEXT_UTF8", "KECCAK256"),
    wordsOfPayload("\u0005x", "TEXT_UTF8", "KECCAK256"),
    wordsOfPayload("610062", "HEXADECIMAL", "NOT_APPLICABLE"),
    wordsOfPayload(
      `0x19${Buffer.from("Ethereum Signed Message:\n2").toString("hex")}00ff`,
      "HEXADECIMAL",
      "KECCAK256",
    ),
  ]
  for (const { contents } of opaque)
    t.match(contents, [{ warnings: [/^Nobody can see what these bytes stand for/] }])
})

t.test("messages that people read have no warning, as text and as bytes", async (t) => {
  const text = "Log in to example.org\nas Zoë – 12:00"
  const personal = `\u0019Ethereum Signed Message:\n${Buffer.byteLength(text)}${text}`
  const digits = "1\u00e9"
  t.equal(Buffer.byteLength("\u0019Ethereum Signed Message:\n5hello"), 32, "no digest begins so")
  const numbered = `\u0019Ethereum Signed Message:\n${Buffer.byteLength(digits)}${digits}`
  for (const [payload, title, lines] of [
    [text, "Message", text.split("\n")],
    [personal, "Message (EIP-191)", text.split("\n")],
    [numbered, "Message (EIP-191)", '"1é"'],
    ["\u0019Ethereum Signed Message:\n5hello", "Message (EIP-191)", '"hello"'],
  ] as const) {
    for (const shown of [
      wordsOfPayload(payload, "TEXT_UTF8", "KECCAK256"),
      wordsOfPayload(Buffer.from(payload).toString("hex"), "HEXADECIMAL", "KECCAK256"),
    ]) {
      t.match(shown.contents, [{ title, warnings: [] }])
      t.same(factsOf(shown), { Text: lines })
    }
  }
})

t.test("only what the signer refuses is said to be refused", async (t) => {
  const refused = [
    wordsOfPayload("zz", "HEXADECIMAL", "KECCAK256"),
    wordsOfPayload("", "TEXT_UTF8", "KECCAK256"),
    wordsOfPayload("{}", "EIP712", "NO_OP"),
    wordsOfPayload("{}", "EIP7702_AUTHORIZATION", "NO_OP"),
    wordsOf("SIGN_TRANSACTION_V2", {
      type: "TRANSACTION_TYPE_ETHEREUM",
      unsignedTransaction: "02",
      signWith: "0x1",
    }),
  ]
  for (const { contents } of refused) t.match(contents, [{ warnings: [/^The signer refuses it: /] }])
  const signed = [
    ...HASHES.map((hashFunction) => wordsOfPayload("00", "HEXADECIMAL", hashFunction)),
    wordsOf("SIGN_TRANSACTION_V2", {
      type: "TRANSACTION_TYPE_TEMPO",
      unsignedTransaction: "02",
      signWith: "0x1",
    }),
  ]
  for (const { contents } of signed) t.notMatch(JSON.stringify(contents), /refuse/)
})

t.test("every payload of a request is described with its number", async (t) => {
  const payloads = ["one", "two", "ab".repeat(16)]
  const words = wordsOf("SIGN_RAW_PAYLOADS", {
    signWith: "0x1",
    payloads,
    encoding: "PAYLOAD_ENCODING_TEXT_UTF8",
    hashFunction: "HASH_FUNCTION_KECCAK256",
  })
  t.match(words.sentence, /^Sign 3 payloads with "?0x1"?: message "one", message "two" and 32 bytes/)
  t.same(titles(words), [
    "Payload 1: Message",
    "Payload 2: Message",
    "Payload 3: Possible digest",
    "Payload 3: Message",
  ])
})
