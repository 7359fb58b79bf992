// A colleague who may only ask for signatures of bytes and messages sends something else as such.
import t from "tap"
import { factsOf, HASHES, titlesOf, wordsOf, wordsOfPayload } from "./reading.ts"

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
  t.same(titlesOf(words), [
    "Payload 1: Message",
    "Payload 2: Message",
    "Payload 3: Possible digest",
    "Payload 3: Message",
  ])
})
