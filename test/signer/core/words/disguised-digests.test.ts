// Digests that are sent as bytes or as messages.
import t from "tap"
import { concat, encodeAbiParameters, keccak256, stringToHex, toRlp } from "viem"
import { factsOf, HASHES, titlesOf, wordsOfPayload } from "./reading.ts"

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
  t.same(titlesOf(wordsOfPayload(text, "TEXT_UTF8", "KECCAK256")), ["Possible digest", "Message"])
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

t.test("W25: hashes of typed data and authorizations are described as such", async (t) => {
  const separator = keccak256(encodeAbiParameters([{ type: "string" }], ["a domain"]))
  const message = keccak256(stringToHex("a permit"))
  const typed = wordsOfPayload(concat(["0x1901", separator, message]), "HEXADECIMAL", "KECCAK256")
  t.same(titlesOf(typed), ["Typed data by its hashes (EIP-712)"])
  t.match(factsOf(typed), { "Hash of the domain": separator, "Hash of the message": message })
  const code = `0x${"11".repeat(20)}` as const
  const authorization = concat(["0x05", toRlp(["0x1", code, "0x"])])
  const shown = wordsOfPayload(authorization, "HEXADECIMAL", "KECCAK256")
  t.same(titlesOf(shown), ["Authorization (EIP-7702)"])
  t.match(factsOf(shown), { "Code of": code, Chain: "Ethereum (eip155:1)", Nonce: "0" })
})
