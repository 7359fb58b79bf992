import { Refusal } from "../../../../signer/core/refusal.ts"
import { Secret } from "../../../../signer/core/crypto/secret.ts"

export const fromHex = (digits: string): Uint8Array => Uint8Array.from(Buffer.from(digits, "hex"))

export const toHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")

export const secretOf = (hexDigits: string): Secret => Secret.copyOf(fromHex(hexDigits))

export const secretText = (text: string): Secret => Secret.copyOf(Buffer.from(text, "utf8"))

export const dangerouslyRevealHex = (secret: Secret): string => secret.use(toHex)

export const dangerouslyRevealText = (secret: Secret): string =>
  secret.use((bytes) => Buffer.from(bytes).toString("utf8"))

/** Bytes that count up from `start`: random enough for tests, and always the same. */
export const countingRandom =
  (start = 0) =>
  (length: number): Uint8Array =>
    Uint8Array.from({ length }, (_, i) => (start + i) & 0xff)

/** The refusal that `run` ends with; undefined when it ends well or with another error. */
export function refusalOf(run: () => unknown): Refusal | undefined {
  try {
    run()
  } catch (fault) {
    if (fault instanceof Refusal) return fault
    throw fault
  }
  return undefined
}
