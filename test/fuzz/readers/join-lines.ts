// Lines that people copy between hosts: an altered request is refused, or says what was signed.
import { JoinFault } from "../../../signer/core/join/fault.ts"
import { readAnswer, writeAnswer } from "../../../signer/core/join/answer.ts"
import { readRequest, writeRequest } from "../../../signer/core/join/request.ts"
import { type Reader, requireSame } from "../engine/reader.ts"
import type { TreeFormat } from "../engine/tree.ts"
import { protobuf } from "../formats/protobuf.ts"
import { ANSWER as GIVEN } from "./certificates.ts"
import { p256KeyOf } from "./test-keys.ts"

const [REQUEST, ANSWER] = ["countersign-join-request.", "countersign-join-answer."] as const
const EXPIRES_AT_MS = 1_767_225_600_000
const TERMS = [
  { name: "api", address: "", expiresAtMs: EXPIRES_AT_MS },
  { name: "fetcher", address: "fetcher.internal:7444", expiresAtMs: EXPIRES_AT_MS },
]

/** The message behind the prefix, so that mutations reach its fields. */
const line: TreeFormat = {
  parse(input) {
    const dot = input.indexOf(".") + 1
    const message = protobuf.parse(Buffer.from(input.toString("latin1", dot), "base64url"))
    return message && { head: input.toString("latin1", 0, dot), body: [message] }
  },
  write({ head, body }) {
    const message = Array.isArray(body) ? protobuf.write({ head: "", body }) : body
    return Buffer.from(head + message.toString("base64url"), "latin1")
  },
}

type Read = { name: string; address: string; expiresAtMs: number } | object

export const joinLines: Reader<Read> = {
  format: line,
  seeds: () => [
    ...TERMS.map((terms) => writeRequest(terms, p256KeyOf(7).privateKey)),
    writeAnswer(GIVEN, p256KeyOf(7).privateKey),
  ],
  read(input) {
    const text = input.toString()
    if (text.startsWith(ANSWER)) return readAnswer(text)
    const { name, address, expiresAtMs } = readRequest(text)
    return { name, address, expiresAtMs }
  },
  isRefusal: (error) => error instanceof JoinFault,
  judge(input, outcome) {
    if (!("value" in outcome) || !input.toString().trimStart().startsWith(REQUEST)) return
    const { value } = outcome
    const same = TERMS.find((terms) => "name" in value && terms.name === value.name)
    requireSame(value, same, "a request that nobody signed")
  },
}
