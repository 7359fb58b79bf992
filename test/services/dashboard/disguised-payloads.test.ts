// A colleague who may only ask for signatures of bytes and messages sends something else as such.
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import t from "tap"
import { encodeAbiParameters, keccak256, stringToHex, toRlp } from "viem"
import { isBareDigest, pathOf, sentenceOf } from "../../../services/dashboard/words/activity.ts"
import { commandFor } from "../../../services/dashboard/words/command.ts"
import { decodeParameters } from "../../../services/dashboard/words/payload.ts"
import { prettyJson } from "../../../services/dashboard/words/visible.ts"

type Vector = { name: string; type: string; unsignedTransaction: string; signingHash: string }
const vectors = JSON.parse(
  readFileSync(new URL("../../vectors/own/transactions.json", import.meta.url), "utf8"),
) as { signed: Vector[] }

const hexadecimal = (payload: string, hashFunction: string) => ({
  signWith: "0x1",
  payload,
  encoding: "PAYLOAD_ENCODING_HEXADECIMAL",
  hashFunction: `HASH_FUNCTION_${hashFunction}`,
})
const text = (payload: string, hashFunction: string) => ({
  ...hexadecimal(payload, hashFunction),
  encoding: "PAYLOAD_ENCODING_TEXT_UTF8",
})
const decoded = (parameters: object) => {
  const [first] = decodeParameters(parameters as never) ?? []
  return first
}

const HASHES = new Map([
  ["TRANSACTION_TYPE_ETHEREUM", "KECCAK256"],
  ["TRANSACTION_TYPE_SOLANA", "NOT_APPLICABLE"],
  ["TRANSACTION_TYPE_TRON", "SHA256"],
])

t.test("W25: a transaction that is sent as bytes is shown as the transaction that it is", async (t) => {
  const seen = new Set<string>()
  for (const { name, type, unsignedTransaction, signingHash } of vectors.signed) {
    const hashFunction = HASHES.get(type)
    if (hashFunction === undefined) continue
    seen.add(type)
    if (hashFunction === "KECCAK256")
      t.equal(keccak256(`0x${unsignedTransaction}`), `0x${signingHash}`, "the signature would be its own")
    const honest = decoded({ type, unsignedTransaction, signWith: "0x1" })
    for (const payload of [unsignedTransaction, `0x${unsignedTransaction}`]) {
      const shown = decoded(hexadecimal(payload, hashFunction))
      t.same([shown?.title, shown?.facts], [honest?.title, honest?.facts], name)
      t.match(shown?.warning, /^This is a transaction, sent as bytes: its signature is good on the chain/)
      t.ok(shown?.warning?.endsWith(honest?.warning ?? ""))
    }
  }
  t.equal(seen.size, HASHES.size)
})

t.test("W25: a digest is a bare digest in every encoding", async (t) => {
  // Among four billion transactions there is one whose digest is a text.
  const digest = "d9ʘk\tβ7q~{Zä#u!fx0}Rw`Hñ2aBc"
  t.equal(Buffer.byteLength(digest), 32)
  for (const parameters of [text(digest, "NO_OP"), hexadecimal("ab".repeat(32), "NO_OP")]) {
    t.equal(isBareDigest(parameters), true)
    t.match(decoded(parameters), { title: "Bare digest", warning: /nobody can see what it stands for/ })
    t.match(
      sentenceOf("ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2", parameters, () => undefined),
      /Sign a bare digest/,
    )
  }
  for (const encoding of ["PAYLOAD_ENCODING_EIP712", "PAYLOAD_ENCODING_EIP7702_AUTHORIZATION"])
    t.equal(isBareDigest({ ...text("{}", "NO_OP"), encoding }), false)
})

t.test("W25: bytes that no person can read are never shown without a warning", async (t) => {
  const separator = keccak256(encodeAbiParameters([{ type: "string" }], ["a domain"]))
  const message = keccak256(stringToHex("a permit"))
  const typed = `1901${separator.slice(2)}${message.slice(2)}`
  const authorization = `05${toRlp(["0x1", `0x${"11".repeat(20)}`, "0x"]).slice(2)}`
  const opaque = [
    hexadecimal(typed, "KECCAK256"),
    hexadecimal(authorization, "KECCAK256"),
    // Bitcoin hashes twice: the signer the second time.
    hexadecimal("ab".repeat(32), "SHA256"),
    hexadecimal("00ff", "KECCAK256"),
    text("\u0019\u0001 is no message", "KECCAK256"),
    text("\u0005x", "KECCAK256"),
    text("a\u0000b", "NOT_APPLICABLE"),
  ]
  for (const parameters of opaque)
    t.match(decoded(parameters), { title: "Payload", warning: /^Nobody can see what these bytes stand for/ })
})

t.test("messages that people read have no warning, as text and as bytes", async (t) => {
  const words = "Log in to example.org\n\tas Zoë 👩‍🚀 – 12:00"
  const personal = `\u0019Ethereum Signed Message:\n${Buffer.byteLength(words)}${words}`
  for (const [payload, title] of [
    [words, "Message"],
    [personal, "Message (EIP-191)"],
  ] as const) {
    const shown = { title, facts: [["Text", words]] }
    t.same(decoded(text(payload, "KECCAK256")), shown)
    t.same(decoded(hexadecimal(Buffer.from(payload).toString("hex"), "KECCAK256")), shown)
  }
})

t.test("W25: text of others neither reorders nor hides the text beside it", async (t) => {
  const policyName = "small\u202estnemyap\u2066\u0007\nall"
  const parameters = { policyName, effect: "EFFECT_ALLOW", condition: "true" }
  const sentence = sentenceOf("ACTIVITY_TYPE_CREATE_POLICY_V3", parameters, () => undefined)
  t.match(sentence, "small\\u202estnemyap\\u2066\\u0007\nall")
  t.notMatch(sentence, /[\u202e\u2066]|\p{Cc}(?<!\n)/u)
  t.notMatch(prettyJson(parameters), /[\u202e\u2066]/)
  t.same(JSON.parse(prettyJson(parameters)), parameters, "the same JSON")
})

t.test("W25: a type that the API states is one word of the printed command", async (t) => {
  const type = "ACTIVITY_TYPE_X'; touch owned; echo '"
  const command = commandFor({ path: pathOf(type), type }, { note: "it's $(touch owned)" })
  const words = execFileSync("sh", ["-c", `npx() { printf '%s\\n' "$@"; }; ${command}`], {
    cwd: t.testdir(),
    encoding: "utf8",
  })
  t.same(words.trimEnd().split("\n"), [
    "countersign",
    "request",
    "x'; touch owned; echo '",
    `{"note":"it's $(touch owned)"}`,
    "--submit",
    "x'; touch owned; echo '",
    "--prove",
    "--as",
    "NAME",
  ])
})
