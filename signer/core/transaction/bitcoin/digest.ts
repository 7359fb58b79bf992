import { createHash, hash } from "node:crypto"
import { sha256 } from "../../address/encoding.ts"
import { sized } from "./cursor.ts"
import { inputAt, type Psbt, type PsbtInput, type TaprootHashType } from "./psbt.ts"
import type { TransactionOutput } from "./raw-transaction.ts"
import type { Spending } from "./spending.ts"

/** SIGHASH_ALL in the form that is appended to the hashed bytes. */
const ALL = Uint8Array.of(1, 0, 0, 0)
const EPOCH = 0
/** Key path, no annex. */
const SPEND_TYPE = Uint8Array.of(0)
const SIGHASH_TAG = Buffer.from(hash("sha256", "TapSighash", "hex").repeat(2), "hex")

/** Parts that all inputs of a transaction share; each is hashed once. */
const parts = {
  outpoints: ({ inputs }: Psbt) => inputs.map(({ outpoint }) => outpoint),
  sequences: ({ inputs }: Psbt) => inputs.map(({ sequence }) => uint32(sequence)),
  amounts: ({ inputs }: Psbt) => inputs.map((input) => amountOf(spentBy(input))),
  scripts: ({ inputs }: Psbt) => inputs.map((input) => sized(spentBy(input).script)),
  outputs: ({ transaction }: Psbt) => [transaction.outputBytes],
}

/** Digests of one transaction's inputs. Hashes that inputs share are made once. */
export class Digests {
  readonly #psbt: Psbt
  readonly #shared = new Map<string, Uint8Array>()

  constructor(psbt: Psbt) {
    this.#psbt = psbt
  }

  /** The 32 bytes to be signed for an input, over the whole transaction. */
  of(index: number, spending: Spending): Uint8Array {
    switch (spending.digest) {
      case "legacy":
        return this.#legacy(index, spending.script)
      case "bip143":
        return this.#bip143(index, spending.script)
      case "bip341":
        return this.#bip341(index, spending.hashType)
      default:
        return spending satisfies never
    }
  }

  /** The unsigned transaction with the script in the input's place, and ALL. */
  #legacy(index: number, script: Uint8Array): Uint8Array {
    const { bytes } = this.#psbt.transaction
    const { scriptAt } = inputAt(this.#psbt, index)
    // In an unsigned transaction a script is the byte 0, its length.
    return twice([bytes.subarray(0, scriptAt), sized(script), bytes.subarray(scriptAt + 1), ALL])
  }

  /**
   *     version (4) || hash of outpoints || hash of sequences || outpoint (36) || length || script || amount (8)
   *     || sequence (4) || hash of outputs || lock time (4) || ALL (4)
   */
  #bip143(index: number, script: Uint8Array): Uint8Array {
    const input = inputAt(this.#psbt, index)
    return twice([
      this.#version,
      sha256(this.#hash("outpoints")),
      sha256(this.#hash("sequences")),
      input.outpoint,
      sized(script),
      amountOf(spentBy(input)),
      uint32(input.sequence),
      sha256(this.#hash("outputs")),
      this.#locktime,
      ALL,
    ])
  }

  /**
   *     tag || tag || 00 || hash type (1) || version (4) || lock time (4) || hashes of outpoints, amounts, scripts, sequences, outputs
   *     || 00 || index of the input (4)
   */
  #bip341(index: number, hashType: TaprootHashType): Uint8Array {
    return sha256(
      Buffer.concat([
        SIGHASH_TAG,
        Uint8Array.of(EPOCH, hashType),
        this.#version,
        this.#locktime,
        this.#hash("outpoints"),
        this.#hash("amounts"),
        this.#hash("scripts"),
        this.#hash("sequences"),
        this.#hash("outputs"),
        SPEND_TYPE,
        uint32(index),
      ]),
    )
  }

  get #version(): Uint8Array {
    return this.#psbt.transaction.bytes.subarray(0, 4)
  }

  get #locktime(): Uint8Array {
    return this.#psbt.transaction.bytes.subarray(-4)
  }

  /** SHA-256 over one part of all inputs or outputs. */
  #hash(of: keyof typeof parts): Uint8Array {
    const known = this.#shared.get(of)
    if (known !== undefined) return known
    const made = sha256(Buffer.concat(parts[of](this.#psbt)))
    this.#shared.set(of, made)
    return made
  }
}

/** SHA-256 of SHA-256. The chunks are not copied: a transaction may be hashed once for each of its inputs. */
function twice(chunks: readonly Uint8Array[]): Uint8Array {
  const inner = createHash("sha256")
  for (const chunk of chunks) inner.update(chunk)
  return sha256(inner.digest())
}

function spentBy({ spent }: PsbtInput): TransactionOutput {
  if (spent === undefined) throw new TypeError("the amount of an input is not known")
  return spent
}

function amountOf({ value }: TransactionOutput): Uint8Array {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(value)
  return bytes
}

function uint32(value: number): Uint8Array {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}
