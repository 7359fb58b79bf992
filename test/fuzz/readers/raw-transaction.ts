// Signed Ethereum transactions in hexadecimal.
import { readOwnBatch } from "../../../signer/core/send/own-batch.ts"
import { type RawTransaction, readRawTransaction } from "../../../signer/core/send/raw-transaction.ts"
import type { Reader } from "../engine/reader.ts"
import type { TreeFormat } from "../engine/tree.ts"
import { rlp } from "../formats/rlp.ts"
import { isAnyRefusal } from "./refusals.ts"

/** The chain that requests name. */
export const CHAIN = "eip155:1"

/** RLP in hexadecimal digits. */
const format: TreeFormat = {
  parse: (input) => rlp.parse(Buffer.from(input.toString("latin1").replace(/^0x/, ""), "hex")),
  write: (part) => Buffer.from(rlp.write(part).toString("hex")),
}

export type ReadRaw = RawTransaction & { batch: ReturnType<typeof readOwnBatch> }

export const rawTransaction: Reader<ReadRaw> = {
  format,
  read(input) {
    const read = readRawTransaction(input.toString(), CHAIN)
    return { ...read, batch: readOwnBatch(read.transaction, read.from.toLowerCase()) }
  },
  isRefusal: isAnyRefusal,
}
