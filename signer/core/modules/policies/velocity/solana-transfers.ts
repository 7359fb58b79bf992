import type { Members } from "../../../policy/expression.ts"
import {
  FROM_TABLE,
  type NamedInstruction,
  SYSTEM_PROGRAM,
  TOKEN_PROGRAMS,
  withoutBatches,
} from "../../../transaction/solana/programs.ts"
import { NATIVE } from "./assets.ts"
import { ANY_TOKEN, everything, list, text, type Transfer, unknownAmount } from "./transfer.ts"

// Instructions of the System Program and the token programs. An unknown instruction moves an unknown amount.

const CHAIN = { family: "solana", reference: undefined } as const

/** Transfers of `solana.tx`, by its top-level instructions and those in batches of a token program. */
export function solanaTransfers(transaction: Members): Transfer[] {
  const instructions = list(transaction, "instructions").map(namedInstruction)
  return withoutBatches(instructions).flatMap((instruction) => {
    if (instruction.program === SYSTEM_PROGRAM) return systemTransfers(instruction)
    return TOKEN_PROGRAMS.has(instruction.program) ? tokenTransfers(instruction) : []
  })
}

function namedInstruction(instruction: Members): NamedInstruction {
  return {
    program: text(instruction, "program_key"),
    accounts: list(instruction, "accounts").map((account) => text(account, "account_key")),
    data: Buffer.from(text(instruction, "instruction_data_hex"), "hex"),
  }
}

/** Instructions of the System Program that move lamports, by number: the offset of the lamports in the data. */
const SYSTEM_TRANSFERS: Readonly<Record<number, (data: Buffer) => number>> = {
  // CreateAccount
  0: () => 4,
  // Transfer
  2: () => 4,
  // CreateAccountWithSeed: base, then the length of the seed in eight bytes and the seed
  3: (data) => 44 + (data.length < 40 ? 0 : data.readUInt32LE(36)),
  // WithdrawNonceAccount
  5: () => 4,
  // TransferWithSeed
  11: () => 4,
  // CreateAccountAllowPrefund (SIMD-0312)
  13: () => 4,
}

/** AdvanceNonceAccount, InitializeNonceAccount, Allocate, AllocateWithSeed, UpgradeNonceAccount. */
const HARMLESS_SYSTEM: ReadonlySet<number> = new Set([4, 6, 8, 9, 12])

/** Instructions of the System Program that give an account, with all its lamports, to others. */
const SYSTEM_NAMES: Readonly<Record<number, string>> = {
  1: "Assign",
  7: "AuthorizeNonceAccount",
  10: "AssignWithSeed",
}

function systemTransfers(instruction: NamedInstruction): Transfer[] {
  const data = Buffer.from(instruction.data)
  // The program refuses data without a number.
  if (data.length < 4) return []
  const number = data.readUInt32LE()
  const offset = SYSTEM_TRANSFERS[number]?.(data)
  if (offset !== undefined) return [{ ...CHAIN, token: NATIVE, amount: uint64(data, offset) }]
  if (HARMLESS_SYSTEM.has(number)) return []
  return [unknownAmount(CHAIN, NATIVE, SYSTEM_NAMES[number] ?? `instruction ${number} of the System Program`)]
}

/**
 * Instructions of the token programs that move tokens, make them or let others move them, by the bytes that the data begin with. `mint`:
 * its index in the accounts; undefined: the instruction does not name it.
 */
const TOKEN_TRANSFERS = [
  // Transfer and Approve.
  { begins: [3], mint: undefined },
  { begins: [4], mint: undefined },
  // MintTo and MintToChecked.
  { begins: [7], mint: 0 },
  { begins: [14], mint: 0 },
  // Burn and BurnChecked.
  { begins: [8], mint: 1 },
  { begins: [15], mint: 1 },
  // TransferChecked, ApproveChecked and TransferCheckedWithFee.
  { begins: [12], mint: 1 },
  { begins: [13], mint: 1 },
  { begins: [26, 1], mint: 1 },
] as const

/** Instructions of the token programs that move nothing, by the bytes that the data begin with. */
const HARMLESS_TOKEN: readonly (readonly number[])[] = [
  ...[
    0, 1, 2, 5, 10, 11, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 28, 29, 30, 31, 32, 33, 34, 35, 36, 39, 40,
    41, 43, 44,
  ].map((number) => [number]),
  // InitializeTransferFeeConfig, HarvestWithheldTokensToMint and SetTransferFee.
  [26, 0],
  [26, 4],
  [26, 5],
]

/** Mints of wrapped SOL, whose accounts are closed with what they hold. */
const WRAPPED_SOL = [
  "So11111111111111111111111111111111111111112",
  "9pan9bMn5HatX4EJdBwg9VgCa7Uz5HL8N1m5D3NdXej9",
]

const [SET_AUTHORITY, CLOSE_ACCOUNT] = [6, 9] as const

function tokenTransfers(instruction: NamedInstruction): Transfer[] {
  const { accounts } = instruction
  const data = Buffer.from(instruction.data)
  const shape = TOKEN_TRANSFERS.find(({ begins }) => beginsWith(data, begins))
  if (shape !== undefined) {
    const mint = (shape.mint === undefined ? undefined : accounts[shape.mint]) ?? FROM_TABLE
    const token = mint === FROM_TABLE ? ANY_TOKEN : mint
    return [{ ...CHAIN, token, amount: uint64(data, shape.begins.length) }]
  }
  // The program refuses empty data.
  if (data.length === 0 || HARMLESS_TOKEN.some((begins) => beginsWith(data, begins))) return []
  switch (data[0]) {
    case SET_AUTHORITY:
      return isAuthorityRemoved(data) ? [] : everything(CHAIN, "SetAuthority")
    case CLOSE_ACCOUNT:
      return isPaidBack(accounts)
        ? []
        : [NATIVE, ...WRAPPED_SOL].map((token) => unknownAmount(CHAIN, token, "CloseAccount"))
    default:
      return everything(CHAIN, `instruction ${data[0]} of a token program`)
  }
}

/** SetAuthority: number, kind of authority, 1 and the new one, or 0 for none. */
function isAuthorityRemoved(data: Buffer): boolean {
  return data[2] === 0
}

/** CloseAccount: account, destination of its lamports, owner. */
function isPaidBack([, destination, owner]: readonly string[]): boolean {
  return destination !== undefined && destination !== FROM_TABLE && destination === owner
}

function beginsWith(data: Uint8Array, bytes: readonly number[]): boolean {
  return bytes.every((byte, index) => data[index] === byte)
}

/** Little-endian; 0 for data that end before it, which no program accepts. */
function uint64(data: Buffer, offset: number): bigint {
  return data.length < offset + 8 ? 0n : data.readBigUInt64LE(offset)
}
