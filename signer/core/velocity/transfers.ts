import {
  FROM_TABLE,
  type NamedInstruction,
  SYSTEM_PROGRAM,
  TOKEN_PROGRAMS,
  withoutBatches,
} from "../policy/facts/solana-transfers.ts"
import { type Members, type RootReader, type Value } from "../policy/expression.ts"
import { type ChainFamily, NATIVE } from "./assets.ts"

/**
 * A transfer that a transaction makes. `reference`: of its chain; undefined: its bytes do not name the chain, so that it
 * counts on every chain of the family. `token`: as of Asset; ANY_TOKEN: some token of the chain, the bytes do not say which.
 */
export type Transfer = {
  readonly family: ChainFamily
  readonly reference: string | undefined
  readonly token: string | typeof ANY_TOKEN
  readonly amount: bigint
}

export const ANY_TOKEN: unique symbol = Symbol("any token")

/** Roots of transactions, which `transfersOf` reads. */
export const TRANSACTION_ROOTS = ["eth.tx", "solana.tx", "tron.tx", "bitcoin.tx"] as const

/**
 * The transfers of a request, in the smallest unit of each asset, read from the facts that policies read. Amounts of 0 are
 * no transfers.
 *
 * @param items of a batch: the calls of an Ethereum transaction, or the signers of one other transaction
 * @param ownAddresses addresses of the key that signs: what a Bitcoin transaction pays to them does not leave it
 */
export function transfersOf(items: readonly RootReader[], ownAddresses: () => readonly string[]): Transfer[] {
  const found = items.flatMap((read, index) =>
    TRANSACTION_ROOTS.filter((root) => index === 0 || root === "eth.tx").flatMap((root) => {
      const transaction = read(root)
      return transaction instanceof Map ? READERS[root](transaction as Members, ownAddresses) : []
    }),
  )
  return found.filter(({ amount }) => amount > 0n)
}

const READERS: Readonly<
  Record<
    (typeof TRANSACTION_ROOTS)[number],
    (transaction: Members, own: () => readonly string[]) => Transfer[]
  >
> = {
  "eth.tx": ethereumTransfers,
  "solana.tx": solanaTransfers,
  "tron.tx": tronTransfers,
  "bitcoin.tx": bitcoinTransfers,
}

function ethereumTransfers(transaction: Members): Transfer[] {
  const chainId = integer(transaction, "chain_id")
  // A transaction without chain id (before EIP-155) is valid on every chain.
  const chain = { family: "eip155", reference: chainId === 0n ? undefined : String(chainId) } as const
  const called = tokenAmount(text(transaction, "data").slice("0x".length))
  return [
    { ...chain, token: NATIVE, amount: integer(transaction, "value") },
    { ...chain, token: text(transaction, "to").toLowerCase(), amount: called },
  ]
}

/** The bytes name no chain: a reference block alone ties a transaction to one. */
function tronTransfers(transaction: Members): Transfer[] {
  const chain = { family: "tron", reference: undefined } as const
  return list(transaction, "contract").flatMap((contract) => {
    switch (text(contract, "type")) {
      case "TransferContract":
        return [{ ...chain, token: NATIVE, amount: integer(contract, "amount") }]
      case "TriggerSmartContract":
        return [
          { ...chain, token: NATIVE, amount: integer(contract, "call_value") },
          {
            ...chain,
            token: text(contract, "contract_address"),
            amount: tokenAmount(text(contract, "data")),
          },
        ]
      default:
        return []
    }
  })
}

/** Everything that is not paid back to the signing address. Fees are no transfers. */
function bitcoinTransfers(transaction: Members, ownAddresses: () => readonly string[]): Transfer[] {
  const chain = { family: "bip122", reference: undefined, token: NATIVE } as const
  const own = ownAddresses()
  return list(transaction, "outputs")
    .filter((output) => !own.includes(text(output, "address")))
    .map((output) => ({ ...chain, amount: integer(output, "value") }))
}

/** Functions that move a token or let others move it, by selector: the index of the argument that is the amount (EIP-20). */
const TOKEN_FUNCTIONS: Readonly<Record<string, number>> = {
  // transfer(address,uint256)
  a9059cbb: 1,
  // transferFrom(address,address,uint256)
  "23b872dd": 2,
  // approve(address,uint256): an allowance is spent without another signature
  "095ea7b3": 1,
  // increaseAllowance(address,uint256), of OpenZeppelin's tokens
  "39509351": 1,
}

const [SELECTOR_DIGITS, WORD_DIGITS] = [8, 64]

/** The amount of a token call; 0 for any other. Contracts read missing bytes as zeros. */
function tokenAmount(data: string): bigint {
  const selector = data.slice(0, SELECTOR_DIGITS)
  const index = Object.hasOwn(TOKEN_FUNCTIONS, selector) ? TOKEN_FUNCTIONS[selector] : undefined
  if (index === undefined) return 0n
  const start = SELECTOR_DIGITS + index * WORD_DIGITS
  return BigInt(`0x${data.slice(start, start + WORD_DIGITS).padEnd(WORD_DIGITS, "0")}`)
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

/** Instructions of the token programs that move tokens or let others move them, by the bytes that the data begin with. */
const SPL_TRANSFERS = [
  // Transfer and Approve do not name the mint.
  { begins: [3], mint: undefined },
  { begins: [4], mint: undefined },
  // TransferChecked, ApproveChecked, TransferCheckedWithFee: source, mint.
  { begins: [12], mint: 1 },
  { begins: [13], mint: 1 },
  { begins: [26, 1], mint: 1 },
] as const

function solanaTransfers(transaction: Members): Transfer[] {
  const chain = { family: "solana", reference: undefined } as const
  return withoutBatches(list(transaction, "instructions").map(namedInstruction)).flatMap((instruction) => {
    const { program, accounts } = instruction
    const data = Buffer.from(instruction.data)
    if (program === SYSTEM_PROGRAM) return [{ ...chain, token: NATIVE, amount: lamports(data) }]
    const shape = SPL_TRANSFERS.find(({ begins }) => begins.every((byte, index) => data[index] === byte))
    if (!TOKEN_PROGRAMS.has(program) || shape === undefined) return []
    const mint = (shape.mint === undefined ? undefined : accounts[shape.mint]) ?? FROM_TABLE
    const token = mint === FROM_TABLE ? ANY_TOKEN : mint
    return [{ ...chain, token, amount: uint64(data, shape.begins.length) }]
  })
}

function namedInstruction(instruction: Members): NamedInstruction {
  return {
    program: text(instruction, "program_key"),
    accounts: list(instruction, "accounts").map((account) => text(account, "account_key")),
    data: Buffer.from(text(instruction, "instruction_data_hex"), "hex"),
  }
}

function lamports(data: Buffer): bigint {
  const offset = data.length < 4 ? undefined : SYSTEM_TRANSFERS[data.readUInt32LE()]?.(data)
  return offset === undefined ? 0n : uint64(data, offset)
}

/** Little-endian; 0 for data that end before it, which no program accepts. */
function uint64(data: Buffer, offset: number): bigint {
  return data.length < offset + 8 ? 0n : data.readBigUInt64LE(offset)
}

function member(of: Members, name: string): Value | undefined {
  const value = of.get(name)
  return typeof value === "symbol" ? undefined : value
}

function integer(of: Members, name: string): bigint {
  const value = member(of, name)
  return typeof value === "bigint" ? value : 0n
}

function text(of: Members, name: string): string {
  const value = member(of, name)
  return typeof value === "string" ? value : ""
}

function list(of: Members, name: string): Members[] {
  const value = member(of, name)
  return Array.isArray(value) ? value.filter((item): item is Members => item instanceof Map) : []
}
