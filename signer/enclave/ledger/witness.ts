import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from "node:fs"
import { damaged } from "./fault.ts"
import { type LedgerMac, isSame, uint64 } from "./mac.ts"

/**
 * A second file with the sequence of the ledger's last transaction: sequence(8, big endian) || mac(32).
 *
 * It is written after each commit without a sync, which takes microseconds; it is never ahead of the ledger, even after a
 * crash. A ledger behind its witness has lost acknowledged commits. Its log was cut or damaged, the database alone was restored
 * from a copy, or the disk reported a sync that it did not make.
 */
export class Witness {
  readonly #authenticator: LedgerMac
  readonly #descriptor: number

  /** `flags`: "wx" creates the file, "r+" opens the existing one. */
  constructor(file: string, flags: "wx" | "r+", authenticator: LedgerMac) {
    this.#authenticator = authenticator
    this.#descriptor = openSync(file, flags, 0o600)
  }

  write(sequence: bigint): void {
    const bytes = Buffer.concat([uint64(sequence), this.#authenticator.witnessMac(sequence)])
    if (writeSync(this.#descriptor, bytes, 0, SIZE, 0) !== SIZE) throw new Error("the witness was cut short")
  }

  close(): void {
    fsyncSync(this.#descriptor)
    closeSync(this.#descriptor)
  }
}

/** @throws LEDGER_DAMAGED when the witness is missing, forged, or ahead of `sequence` */
export function requireWitness(file: string, sequence: bigint, authenticator: LedgerMac): void {
  const bytes = readWitness(file)
  if (bytes.length !== SIZE) throw damaged("the ledger's witness has the wrong length")
  const seen = bytes.readBigUInt64BE(0)
  if (!isSame(bytes.subarray(8), authenticator.witnessMac(seen)))
    throw damaged("the ledger's witness is forged")
  if (seen > sequence) throw damaged("the ledger is older than its witness")
}

const SIZE = 40

function readWitness(file: string): Buffer {
  try {
    return readFileSync(file)
  } catch (error) {
    throw damaged("the ledger's witness cannot be read", error)
  }
}
