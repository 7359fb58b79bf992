import { hash } from "node:crypto"
import { sha256 } from "../../address/encoding.ts"
import { Fault } from "../../fault.ts"
import type { ByteSpan } from "../span.ts"
import { sized } from "./cursor.ts"
import type { StrippedTransaction, TransactionOutput } from "./raw-transaction.ts"

/** A text for which a PSBT makes a signature, and the script that proves who signed. */
export type SignedMessage = { readonly text: Uint8Array; readonly script: Uint8Array }

const TAG = Buffer.from(hash("sha256", "BIP0322-signed-message", "hex").repeat(2), "hex")
const OP_RETURN = 0x6a
const ZERO_BYTES_4 = new Uint8Array(4)
const OUTPUT_0 = ZERO_BYTES_4
/** No transaction has this output: what spends it is on no chain. */
const NO_OUTPUT = Buffer.concat([Buffer.alloc(32), Buffer.alloc(4, 0xff)])
/** OP_0 and the push of 32 bytes. */
const PUSH_HASH = Uint8Array.of(0x00, 0x20)

/** True for the only output that a message's transaction has: 0 satoshi, OP_RETURN alone. Payments have none like it. */
export function paysForMessage(outputs: readonly TransactionOutput[]): boolean {
  const [output, ...others] = outputs
  return (
    output?.value === 0n &&
    output.script.length === 1 &&
    output.script[0] === OP_RETURN &&
    others.length === 0
  )
}

/**
 * Checks a PSBT that says which message it signs (BIP-322, PSBT_GLOBAL_GENERIC_SIGNED_MESSAGE): the first input spends the output of
 * `to_spend`, which has the message's hash and 0 satoshi, and nothing is paid. More inputs show the control of their outputs.
 * @throws Fault transaction
 */
export function readSignedMessage(
  text: ByteSpan,
  { version, inputs, outputs }: StrippedTransaction,
  spent: TransactionOutput | undefined,
): SignedMessage {
  const fault = (sentence: string) =>
    new Fault("transaction", `the PSBT names a message (BIP-322), but ${sentence}`, text.offset)
  if (spent === undefined)
    throw fault("its first input comes without the output that it spends: add witness_utxo")
  const outpoint = Buffer.concat([toSpendId(text.bytes, spent.script), OUTPUT_0])
  if (!outpoint.equals(inputs[0]?.outpoint ?? OUTPUT_0))
    throw fault("its first input does not spend the transaction made of this message and this address")
  if (spent.value !== 0n) throw fault("the output that its first input spends has satoshi")
  if (!paysForMessage(outputs)) throw fault("it has other outputs than one of 0 satoshi with OP_RETURN")
  if (version !== 0 && version !== 2) throw fault("its version is neither 0 nor 2")
  return { text: text.bytes, script: spent.script }
}

/**
 * Id of `to_spend` of BIP-322, as inputs name it:
 *
 *     version (4) || 1 || no output (36) || 34 | OP_0, push of the message's hash || sequence (4) || 1 || satoshi (8)
 *     || length | script || lock time (4)
 */
function toSpendId(text: Uint8Array, script: Uint8Array): Uint8Array {
  const digest = sha256(Buffer.concat([TAG, text]))
  const input = [NO_OUTPUT, sized(Buffer.concat([PUSH_HASH, digest])), ZERO_BYTES_4]
  const output = [new Uint8Array(8), sized(script)]
  const one = Uint8Array.of(1)
  return sha256(sha256(Buffer.concat([ZERO_BYTES_4, one, ...input, one, ...output, ZERO_BYTES_4])))
}
