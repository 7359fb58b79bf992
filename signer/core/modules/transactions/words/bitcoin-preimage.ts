// Preimages of the digests that Bitcoin signs: the three forms of the consensus rules.
import { Fault, isFault } from "../../../fault.ts"
import { hash } from "node:crypto"
import { PsbtCursor } from "../../../transaction/bitcoin/cursor.ts"
import { readOutput } from "../../../transaction/bitcoin/raw-transaction.ts"
import { satoshiText } from "../../../words/chains.ts"
import { listed } from "../../../words/text.ts"
import type { Content, DescriptionLine, WordsContext } from "../../../words/words.ts"
import { outputText } from "./bitcoin.ts"

/** Any version and any flag is valid in a block; wallets use few of them. Other bytes seldom have such small numbers there. */
const MAX_VERSION = 0xffff
/** One byte, also with the bit of Bitcoin Cash. */
const MAX_FLAG = 0xff

const TAG = Buffer.from(hash("sha256", "TapSighash", "hex").repeat(2), "hex")
const HIDDEN = "Its recipients are hashed: nobody can see whom it pays."

/** The bytes that are hashed for the signature of an input. @throws Fault transaction for any other bytes */
export function bitcoinPreimage(bytes: Uint8Array, context: WordsContext): Content {
  if (TAG.equals(bytes.subarray(0, TAG.length))) return taproot(bytes)
  try {
    return witness(bytes)
  } catch (error) {
    if (!isFault(error, "transaction")) throw error
    return legacy(bytes, context)
  }
}

/** BIP-341: `tag || tag || epoch (1) || flag (1) || version (4) || lock time (4) || hashes …` */
function taproot(bytes: Uint8Array): Content {
  const rest = bytes.subarray(TAG.length)
  const facts = [{ name: "Hashes", value: Buffer.from(rest).toString("hex") }]
  return content("an input of Taproot", facts, [HIDDEN])
}

/**
 * BIP-143: `version (4) || hashes of outpoints and sequences (64) || outpoint (36) || length | script || amount (8)
 * || sequence (4) || hash of outputs (32) || lock time (4) || flag (4)`
 */
function witness(bytes: Uint8Array): Content {
  const cursor = new PsbtCursor({ bytes, offset: 0 })
  requireVersion(cursor.uint32())
  cursor.take(64)
  const outpoint = outpointText(cursor)
  cursor.sized()
  const amount = cursor.uint64()
  cursor.take(4)
  const outputs = Buffer.from(cursor.take(32)).toString("hex")
  cursor.take(4)
  requireFlag(cursor.uint32())
  cursor.requireEnd("the flag")
  const facts = [
    { name: "Spends", value: `${satoshiText(amount)}, ${outpoint}` },
    { name: "Hash of the outputs", value: outputs },
  ]
  return content(`an input of ${satoshiText(amount)} (${outpoint}), outputs ${outputs}`, facts, [HIDDEN])
}

/** Before SegWit: the transaction with the script of one input, and the flag (4). */
function legacy(bytes: Uint8Array, { nameOf }: WordsContext): Content {
  const cursor = new PsbtCursor({ bytes, offset: 0 })
  requireVersion(cursor.uint32())
  const inputs = Array.from({ length: cursor.count() }, () => {
    const outpoint = outpointText(cursor)
    cursor.sized()
    cursor.take(4)
    return outpoint
  })
  const outputs = Array.from({ length: cursor.count() }, () => readOutput(cursor))
  cursor.take(4)
  requireFlag(cursor.uint32())
  cursor.requireEnd("the flag")
  if (inputs.length === 0) throw new Fault("transaction", "the transaction has no inputs", 4)
  const paid = outputs.map((output) => outputText(output, "MAINNET", "", nameOf).text)
  const facts = [
    ...paid.map((value, index) => ({ name: `Output ${index + 1}`, value })),
    ...inputs.map((value, index) => ({ name: `Input ${index + 1}`, value })),
  ]
  return content(`an input; it pays ${listed(paid)}`, facts, [])
}

function outpointText(cursor: PsbtCursor): string {
  const id = Buffer.from(cursor.take(32).toReversed()).toString("hex")
  return `output ${cursor.uint32()} of ${id}`
}

function requireVersion(version: number): void {
  if (version > MAX_VERSION) throw new Fault("transaction", "no version of a transaction", 0)
}

function requireFlag(flag: number): void {
  if (flag > MAX_FLAG) throw new Fault("transaction", "no flag of a signature", 0)
}

function content(what: string, facts: readonly DescriptionLine[], warnings: readonly string[]): Content {
  return {
    title: "Bitcoin transaction",
    summary: `a Bitcoin transaction, sent as bytes: ${what}`,
    facts,
    warnings,
  }
}
