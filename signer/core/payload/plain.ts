import { Fault } from "../fault.ts"

/** Bytes of a payload of hexadecimal digits: of either case, `0x` optional. `0x` alone is empty, "" a fault. @throws {Fault payload} */
export function hexPayload(text: string): Uint8Array {
  if (text === "") throw new Fault("payload", "the payload is empty")
  const digits = text.startsWith("0x") ? text.slice(2) : text
  if (/[^0-9a-fA-F]/.test(digits)) throw new Fault("payload", "the payload is not hexadecimal")
  if (digits.length % 2 === 1) throw new Fault("payload", "the payload has an odd number of hex digits")
  return Buffer.from(digits, "hex")
}

/** Bytes of a payload of text, in UTF-8. @throws {Fault payload} */
export function textPayload(text: string): Uint8Array {
  if (text === "") throw new Fault("payload", "the payload is empty")
  if (!text.isWellFormed()) throw new Fault("payload", "the payload has an unpaired surrogate")
  return Buffer.from(text, "utf8")
}
