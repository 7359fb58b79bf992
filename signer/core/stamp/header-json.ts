import { type JsonMembers, readJsonObject } from "../../../proto/strict-json.ts"
import type { Refusal } from "../refusal.ts"

/** Makes the refusal of a malformed stamp. `reason` completes its sentence. */
export type Malformed = (reason: string, cause?: unknown) => Refusal

export function readStampJson(text: string, malformed: Malformed): JsonMembers {
  return readJsonObject(text, (reason, cause) => malformed(`the header ${reason}`, cause), { maxDepth: 4 })
}

export function readMember(value: JsonMembers, name: string, malformed: Malformed): string {
  const member = Object.hasOwn(value, name) ? value[name] : undefined
  if (typeof member !== "string") throw malformed(`${name} is missing or not a string`)
  return member
}

export function readHex(hex: string, malformed: Malformed): Uint8Array {
  if (hex.length % 2 !== 0 || !/^[0-9a-fA-F]*$/.test(hex)) throw malformed("signature is not hex")
  return Buffer.from(hex, "hex")
}
