import { createHash, type KeyObject, sign, verify } from "node:crypto"
import { create } from "@bufbuild/protobuf"
import { type JoinRequest, JoinRequestSchema } from "../../../proto/gen/countersign/state/v1/join_pb.ts"
import { wordsOfKey } from "../crypto/key-words.ts"
import { lengthPrefixed } from "../crypto/length-prefixed.ts"
import { compressP256, p256Point, p256PublicKey, uncompressP256 } from "../crypto/p256.ts"
import { JoinFault } from "./fault.ts"
import { malformed, readLine, writeLine } from "./line.ts"
import { isServerName, requireAddress, requireName } from "./names.ts"

const DOMAIN = "countersign/v1/join-request"

const MINUTE_MS = 60_000
/** How long a request can be answered. */
export const REQUEST_LIFETIME_MS = 24 * 60 * MINUTE_MS
/** Two hosts' clocks may differ by so much. */
export const CLOCK_SKEW_MS = 5 * MINUTE_MS

/** The last time that a Date can show. */
const MAX_TIME_MS = 8.64e15

/** The terms that a process asks for. `address`: of a server, "" for a caller. */
export type JoinTerms = { name: string; address: string; expiresAtMs: number }

/** `words` and `digest` are of all terms and the key, so a change of any of them changes both. */
export type SignedRequest = JoinTerms & { publicKey: KeyObject; words: string; digest: string }

/** @throws {JoinFault} for terms that no certificate is issued for */
export function writeRequest({ name, address, expiresAtMs }: JoinTerms, privateKey: KeyObject): string {
  requireTerms(name, address)
  const publicKey = compressP256(p256Point(privateKey))
  const request = create(JoinRequestSchema, { name, address, publicKey, expiresAtMs: BigInt(expiresAtMs) })
  request.signature = sign("sha256", signedBytes(request), privateKey)
  return writeLine("request", request)
}

/** A request that the holder of its key has signed. Its time is not checked. @throws {JoinFault} */
export function readRequest(line: string): SignedRequest {
  const request = readLine("request", line)
  const { name, address } = request
  requireTerms(name, address)
  const point = uncompressP256(request.publicKey)
  const publicKey = point && p256PublicKey(point)
  const expiresAtMs = Number(request.expiresAtMs)
  if (publicKey === undefined || !(expiresAtMs >= 0 && expiresAtMs <= MAX_TIME_MS)) throw malformed("request")
  const bytes = signedBytes(request)
  if (!verify("sha256", bytes, publicKey, request.signature))
    throw new JoinFault(
      "refused",
      "the request is not signed by its own key: it was altered on its way; make a new one",
    )
  const digest = createHash("sha256").update(bytes).digest("hex")
  return { name, address, expiresAtMs, publicKey, words: wordsOfKey(bytes.toString("hex")), digest }
}

/** @throws {JoinFault} when the request's time is over, or is further ahead than a request's can be */
export function requireTimely({ expiresAtMs }: JoinTerms, nowMs: number): void {
  const now = new Date(nowMs).toISOString()
  if (nowMs > expiresAtMs) {
    const when = new Date(expiresAtMs).toISOString()
    throw new JoinFault("refused", `the request expired at ${when}, and it is ${now}: make a new one`)
  }
  if (expiresAtMs > nowMs + REQUEST_LIFETIME_MS + CLOCK_SKEW_MS)
    throw new JoinFault("refused", `the request is from later than ${now}: compare the clocks of both hosts`)
}

/** Servers have an address and callers have none. */
function requireTerms(name: string, address: string): void {
  requireName(name)
  if (isServerName(name)) requireAddress(address)
  else if (address !== "")
    throw new JoinFault("usage", `${name} is the name of a caller, which has no address`)
}

function signedBytes({ name, address, publicKey, expiresAtMs }: JoinRequest): Buffer {
  const expires = Buffer.alloc(8)
  expires.writeBigInt64BE(expiresAtMs)
  const texts = [DOMAIN, name, address].map((text) => Buffer.from(text))
  return Buffer.from(lengthPrefixed(...texts, publicKey, expires))
}
