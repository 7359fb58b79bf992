import type { JsonMembers } from "../../../../proto/strict-json.ts"
import { verifyStoredStamp } from "../../stamp/verify.ts"
import { textIn } from "./json.ts"

/** A text with the stamp over it, as proofs and votes show it. */
export type StampedText = { scheme: string; publicKey: string; message: string; signature: string }

export function readStampedText(json: JsonMembers): StampedText {
  const [scheme, publicKey, message, signature] = ["scheme", "publicKey", "message", "signature"].map(
    (name) => textIn(json, name),
  ) as [string, string, string, string]
  return { scheme, publicKey, message, signature }
}

/** True if the key beside the text signed it. The key's owner is not checked. */
export function isStamped({ message, ...stamp }: StampedText): boolean {
  return verifyStoredStamp(stamp, Buffer.from(message))
}

export function isSameStamp(one: StampedText, other: StampedText): boolean {
  return (
    one.scheme === other.scheme &&
    one.publicKey === other.publicKey &&
    one.message === other.message &&
    one.signature === other.signature
  )
}
