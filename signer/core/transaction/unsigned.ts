import { Fault } from "../fault.ts"

/** Bytes of an unsigned transaction: hexadecimal in any case, with or without 0x. @throws Fault transaction */
export function readUnsigned(text: string): Uint8Array {
  const digits = text.startsWith("0x") ? text.slice(2) : text
  if (digits === "") throw new Fault("transaction", "the transaction is empty", 0)
  const wrong = /[^0-9a-fA-F]/.exec(digits)
  if (wrong !== null)
    throw new Fault("transaction", "the transaction is not hexadecimal", Math.floor(wrong.index / 2))
  if (digits.length % 2 !== 0)
    throw new Fault(
      "transaction",
      "the transaction has an odd number of digits",
      Math.floor(digits.length / 2),
    )
  return Uint8Array.from(Buffer.from(digits, "hex"))
}
