import { createHash, verify } from "node:crypto"
import type {
  HolderApproval,
  PasskeyApproval,
} from "../../../proto/gen/countersign/signer/v1/holder_act_pb.ts"
import { p256PublicKey, uncompressP256 } from "../crypto/p256.ts"
import { Fault } from "../fault.ts"
import { refuse } from "../refusal.ts"
import type { Holders } from "../sealed-seed/holders.ts"
import { readAuthenticatorData } from "../webauthn/authenticator-data.ts"
import { readClientData } from "../webauthn/client-data.ts"

/** An approval without its wrapping: the holder's key, and what it signed. */
export type SignedApproval = Pick<HolderApproval, "publicKey" | "evidence">

/** A signature has at most 72 bytes, client data of browsers some hundred. */
const MAX_SIGNATURE_LENGTH = 80
const MAX_PASSKEY_LENGTH = 4096

/**
 * Requires approvals of one text by as many holders as are needed, each by one. Superfluous ones are verified too: a wrong one among
 * them means that somebody tried.
 *
 * @throws APPROVALS_TOO_FEW, APPROVAL_REPEATED, APPROVAL_FOREIGN, APPROVAL_WRONG, APPROVAL_MALFORMED
 */
export function requireApprovals(
  text: Uint8Array,
  approvals: readonly SignedApproval[],
  holders: Holders,
): void {
  const given = new Set<number>()
  for (const approval of approvals) {
    const number = numberOf(approval.publicKey, holders)
    if (given.has(number))
      throw refuse("APPROVAL_REPEATED", `holder ${number} approved twice: give one approval of each holder`)
    given.add(number)
    requireSigned(text, approval, `holder ${number}`)
  }
  const { threshold, publicKeys } = holders
  if (given.size >= threshold) return
  const sentence = `${given.size} of ${publicKeys.length} holders approved this act, and ${threshold} are needed: have more of them approve the same text`
  throw refuse("APPROVALS_TOO_FEW", sentence)
}

/** Number of the holder, from 1. @throws APPROVAL_FOREIGN */
function numberOf(publicKey: Uint8Array, { publicKeys }: Holders): number {
  const index = publicKeys.findIndex((key) => Buffer.compare(key, publicKey) === 0)
  if (index >= 0) return index + 1
  const hex = Buffer.from(publicKey).subarray(0, 33).toString("hex")
  throw refuse("APPROVAL_FOREIGN", `${hex} is no holder's key: countersign-signer status lists them`)
}

/**
 * Verifies what one key signed. `by`: whose key it is, for the sentence.
 *
 * @throws APPROVAL_WRONG, APPROVAL_MALFORMED
 */
export function requireSigned(text: Uint8Array, { publicKey, evidence }: SignedApproval, by: string): void {
  switch (evidence.case) {
    case "signature":
      return requireSignature(text, publicKey, evidence.value, by)
    case "passkey":
      return requirePasskey(text, publicKey, evidence.value, by)
    case undefined:
      throw malformed(by, "it has no signature")
    default:
      evidence satisfies never
  }
}

function requireSignature(
  signed: Uint8Array,
  publicKey: Uint8Array,
  signature: Uint8Array,
  by: string,
): void {
  const point = uncompressP256(publicKey)
  const key = point === undefined ? undefined : p256PublicKey(point)
  if (key === undefined || signature.length > MAX_SIGNATURE_LENGTH)
    throw malformed(by, "key or signature is none")
  if (verify("sha256", signed, key, signature)) return
  throw wrong(by, "its signature does not verify: the text was altered, or another key signed")
}

/** An assertion (Web Authentication §7.2) over the text's digest. Any page may have asked for it: the key is the holder's. */
function requirePasskey(
  text: Uint8Array,
  publicKey: Uint8Array,
  assertion: PasskeyApproval,
  by: string,
): void {
  const { authenticatorData, clientDataJson, signature } = assertion
  if (authenticatorData.length + clientDataJson.length > MAX_PASSKEY_LENGTH)
    throw malformed(by, "it is too long")
  const { type, challenge, isPresent, isVerified } = readAssertion(assertion, by)
  if (type !== "webauthn.get") throw wrong(by, "the passkey did not sign an assertion")
  if (challenge !== createHash("sha256").update(text).digest("base64url"))
    throw wrong(by, "the passkey signed another text")
  if (!isPresent || !isVerified)
    throw wrong(by, "the passkey did not verify its user: approve with PIN, finger or face")
  const signed = Buffer.concat([authenticatorData, createHash("sha256").update(clientDataJson).digest()])
  requireSignature(signed, publicKey, signature, by)
}

function readAssertion({ authenticatorData, clientDataJson }: PasskeyApproval, by: string) {
  try {
    const { type, challenge } = readClientData(clientDataJson)
    const { isUserPresent: isPresent, isUserVerified: isVerified } = readAuthenticatorData(authenticatorData)
    return { type, challenge, isPresent, isVerified }
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    throw malformed(by, error.message)
  }
}

function wrong(by: string, why: string) {
  return refuse(
    "APPROVAL_WRONG",
    `the approval of ${by} is wrong: ${why}. Nothing was changed; sign the text again`,
  )
}

function malformed(by: string, why: string) {
  return refuse("APPROVAL_MALFORMED", `the approval of ${by} cannot be read: ${why}. Have it signed again`)
}
