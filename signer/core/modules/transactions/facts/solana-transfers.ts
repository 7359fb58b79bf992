import { elementAt } from "../../../crypto/element.ts"
import { type Members, members } from "../../../policy/language/value.ts"
import {
  type NamedInstruction,
  SYSTEM_PROGRAM,
  TOKEN_PROGRAMS,
  withoutBatches,
} from "../../../transaction/solana/programs.ts"

// Instructions of the System Program: the number in four bytes, little-endian, then the lamports in eight.
const TRANSFER = 2
const TRANSFER_WITH_SEED = 11

/** `solana.tx.transfers`: transfers of the System Program. */
export function systemTransfers(instructions: readonly NamedInstruction[]): Members[] {
  return instructions.flatMap(({ program, accounts, data }) => {
    if (program !== SYSTEM_PROGRAM || data.length < 12) return []
    const number = Buffer.from(data).readUInt32LE()
    // A transfer from an address with a seed names the base key between its accounts.
    const to = number === TRANSFER ? accounts[1] : number === TRANSFER_WITH_SEED ? accounts[2] : undefined
    const from = accounts[0]
    if (from === undefined || to === undefined) return []
    return [members({ from, to, amount: uint64(data, 4) })]
  })
}

/** Shapes of transfers of the token programs, by the bytes that the data begin with. */
const SPL_TRANSFERS = [
  // Transfer: amount; source, destination, owner, signers.
  { begins: [3], mint: undefined, to: 1, length: 9 },
  // TransferChecked: amount, decimals; source, mint, destination, owner, signers.
  { begins: [12], mint: 1, to: 2, length: 10 },
  // TransferFeeExtension, TransferCheckedWithFee: amount, decimals, fee; accounts as of TransferChecked.
  { begins: [26, 1], mint: 1, to: 2, length: 19 },
] as const

/**
 * `solana.tx.spl_transfers`: transfers of the programs Token and Token-2022, also within batches. `from` and `to` are token
 * accounts.
 */
export function splTransfers(instructions: readonly NamedInstruction[]): Members[] {
  return withoutBatches(instructions).flatMap(({ program, accounts, data }) => {
    if (!TOKEN_PROGRAMS.has(program)) return []
    const shape = SPL_TRANSFERS.find(({ begins }) => begins.every((byte, index) => data[index] === byte))
    if (shape === undefined || data.length < shape.length || accounts.length < shape.to + 2) return []
    return [
      members({
        from: elementAt(accounts, 0),
        to: elementAt(accounts, shape.to),
        amount: uint64(data, shape.begins.length),
        owner: elementAt(accounts, shape.to + 1),
        signers: accounts.slice(shape.to + 2),
        token_mint: shape.mint === undefined ? "" : elementAt(accounts, shape.mint),
      }),
    ]
  })
}

/** Little-endian. */
function uint64(data: Uint8Array, offset: number): bigint {
  return Buffer.from(data).readBigUInt64LE(offset)
}
