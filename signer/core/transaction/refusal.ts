import type { Curve } from "../crypto/curve.ts"
import { refuse, type Refusal } from "../refusal.ts"

/** `curve`: name of the interface. `publicKey`: hexadecimal. */
type Key = { readonly curve: string; readonly publicKey: string }

/** The public key, if it is on the curve of a chain's transactions. @throws TRANSACTION_KEY_UNFIT */
export function requireKeyOn(curve: Curve, key: Key | undefined, chain: string): string {
  if (key?.curve === curve) return key.publicKey
  const sentence = `${chain} transactions are signed by a key on ${curve}; name one in signWith`
  throw refuse("TRANSACTION_KEY_UNFIT", sentence, { field: "parameters.signWith" })
}

/** The refusal of a transaction that takes no signature of the key. `signer`: the key as its chain spells it. */
export function signerRefusal(signer: string, hint?: string): Refusal {
  const sentence = `${signer} is none of the transaction's signers; name one of them in signWith`
  const whole = hint === undefined ? sentence : `${sentence} (${hint})`
  return refuse("TRANSACTION_SIGNER_MISSING", whole, { field: "parameters.signWith" })
}
