import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from "node:fs"
import { LANES, type LedgerLanes } from "./lanes.ts"
import type { LedgerPosition } from "./ledger.ts"
import { type LedgerMac, isSame, termBytes } from "./mac.ts"
import { damaged } from "./refusals.ts"
import { uint64 } from "./uint64.ts"

/**
 * A second file with the last transaction of each lane, in the order of their numbers:
 * lane(4) || fence(8) || epoch(8) || sequence(8) || mac(32), big endian.
 *
 * A lane is written after each commit without a sync, which takes microseconds; it is never ahead of the ledger, even after a
 * crash. A ledger behind its witness has lost acknowledged commits. Its log was cut or damaged, the database alone was restored
 * from a copy, or the disk reported a sync that it did not make.
 */
export class Witness {
  readonly #authenticator: LedgerMac
  readonly #descriptor: number

  /** `flags`: "wx" creates the file, "w" replaces its content, "r+" opens the existing one. */
  constructor(file: string, flags: "wx" | "w" | "r+", authenticator: LedgerMac) {
    this.#authenticator = authenticator
    this.#descriptor = openSync(file, flags, 0o600)
  }

  write(lanes: Iterable<LedgerPosition["lanes"][number]>): void {
    for (const state of lanes) {
      const [term, sequence] = [termBytes(state), uint64(state.sequence)]
      const bytes = Buffer.concat([term, sequence, this.#authenticator.witnessMac(term, sequence)])
      const at = state.lane * LANE_SIZE
      if (writeSync(this.#descriptor, bytes, 0, LANE_SIZE, at) !== LANE_SIZE)
        throw new Error("the witness was cut short")
    }
  }

  close(): void {
    fsyncSync(this.#descriptor)
    closeSync(this.#descriptor)
  }
}

/** @throws LEDGER_DAMAGED when the witness is missing, forged, or ahead of the ledger */
export function requireWitness(file: string, { lanes }: LedgerLanes, authenticator: LedgerMac): void {
  const bytes = readWitness(file)
  if (bytes.length !== LANE_SIZE * LANES.length) throw damaged("the ledger's witness has the wrong length")
  for (const state of lanes) {
    const seen = bytes.subarray(state.lane * LANE_SIZE, (state.lane + 1) * LANE_SIZE)
    const mac = authenticator.witnessMac(seen.subarray(0, 20), seen.subarray(20, 28))
    if (seen.readUInt32BE(0) !== state.lane || !isSame(seen.subarray(28), mac))
      throw damaged("the ledger's witness is forged")
    const [fence, epoch, sequence] = [4, 12, 20].map((at) => seen.readBigUInt64BE(at))
    if (fence! > state.fence || epoch! > state.epoch || sequence! > state.sequence)
      throw damaged("the ledger is older than its witness")
  }
}

const LANE_SIZE = 60

function readWitness(file: string): Buffer {
  try {
    return readFileSync(file)
  } catch (error) {
    throw damaged("the ledger's witness cannot be read", error)
  }
}
