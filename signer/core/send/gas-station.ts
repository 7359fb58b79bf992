import { keccak_256 } from "@noble/hashes/sha3.js"

// Messages and calls of the gas station, the contracts that an account delegates to (EIP-7702) and that a paymaster
// calls. An account signs EIP-712 messages of the domain {name, version, chainId, verifyingContract: the account}.

/** Contracts of one chain, as the operator pinned them; addresses in lower-case hexadecimal with 0x. */
export type GasStation = {
  /** Contract that a paymaster calls. */
  readonly station: string
  /** Contract whose code an account delegates to. */
  readonly delegate: string
  /** EIP-712 name and version of the delegate. A wrong one shows only when the chain refuses the call. */
  readonly name: string
  readonly version: string
}

/** One call; `to` and `data` in lower-case hexadecimal with 0x, `value` in wei. */
export type Call = { readonly to: string; readonly value: bigint; readonly data: string }

/** Calls that an account authorizes. `nonce`: of the delegate, 128 bits. `deadline`: Unix time in seconds, 32 bits. */
export type Execution = {
  readonly account: string
  readonly chainId: bigint
  readonly nonce: bigint
  readonly deadline: bigint
  readonly calls: readonly Call[]
}

/** Calls of one batch that the delegate runs (its MAX_BATCH_SIZE). */
export const MAX_BATCH = 20

/** Selectors of the station's execute and executeBatch, and of the delegate's executeBatch. */
const EXECUTE = "9aefaff8"
const EXECUTE_BATCH = "3f67163e"
/** Also that of every batch that an account runs itself. */
export const OWN_BATCH = "5885bbcf"
/** Index of the argument that `packExecution` makes. */
const PACKED_INDEX: Readonly<Record<string, number>> = { [EXECUTE]: 3, [EXECUTE_BATCH]: 2, [OWN_BATCH]: 1 }
/** Characters of 0x and a selector. */
const SELECTOR_DIGITS = 10
/** Bytes of `packExecution` before the nonce: r, s and v. Then follow 16 bytes of nonce and 4 of the deadline. */
const NONCE_OFFSET = 65
const DEADLINE_OFFSET = 81
const TERMS_END = 85

const DOMAIN = typeHash("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)")
const CALL_TYPE = "Call(address to,uint256 value,bytes data)"
const CALL = typeHash(CALL_TYPE)
const EXECUTION = typeHash("Execution(uint128 nonce,uint32 deadline,address to,uint256 value,bytes data)")
const BATCH = typeHash(`BatchExecution(uint128 nonce,uint32 deadline,Call[] calls)${CALL_TYPE}`)

/** Digest that the account signs (EIP-712): an Execution of one call, or a BatchExecution if `isBatch`. */
export function executionDigest(
  execution: Execution,
  { name, version }: GasStation,
  isBatch: boolean,
): Uint8Array {
  const { account, chainId, nonce, deadline, calls } = execution
  const domain = hashOf(
    DOMAIN,
    hashOf(text(name)),
    hashOf(text(version)),
    word(chainId),
    addressWord(account),
  )
  const head = [word(nonce), word(deadline)]
  const [first] = calls
  const message =
    isBatch || first === undefined
      ? hashOf(BATCH, ...head, hashOf(...calls.map((call) => hashOf(CALL, ...callWords(call)))))
      : hashOf(EXECUTION, ...head, ...callWords(first))
  return hashOf(Uint8Array.of(0x19, 0x01), domain, message)
}

/**
 * The account's signature with what it signed, as the contracts read it:
 *
 *     r(32) || s(32) || v(1: 1b or 1c) || nonce(16) || deadline(4) || data of the call; none of a batch
 */
export function packExecution(
  { nonce, deadline, calls }: Execution,
  { r, s, parity }: { readonly r: bigint; readonly s: bigint; readonly parity: 0 | 1 },
  isBatch: boolean,
): Uint8Array {
  const data = isBatch ? [] : calls.map((call) => hexBytes(call.data))
  const v = Uint8Array.of(27 + parity)
  return Buffer.concat([word(r), word(s), v, bigEndian(nonce, 16), bigEndian(deadline, 4), ...data])
}

/** Data of the paymaster's call of the station: execute(address,address,uint256,bytes) or executeBatch. */
export function stationCall({ account, calls }: Execution, packed: Uint8Array, isBatch: boolean): string {
  const [first] = calls
  if (isBatch || first === undefined)
    return encode(EXECUTE_BATCH, [addressWord(account)], [callList(calls), bytes(packed)])
  const head = [addressWord(account), addressWord(first.to), word(first.value)]
  return encode(EXECUTE, head, [bytes(packed)])
}

/** Data of the account's call of itself, by which the delegate runs a batch: executeBatch((address,uint256,bytes)[],bytes). */
export function ownBatchCall({ calls }: Execution, packed: Uint8Array): string {
  return encode(OWN_BATCH, [], [callList(calls), bytes(packed)])
}

/** Terms that an account signs with its calls. `nonce`: of the delegate. `deadline`: Unix time in seconds. */
export type SignedTerms = { readonly nonce: bigint; readonly deadline: bigint }

/** Terms of the calls in data of `stationCall` or `ownBatchCall`, read where the contracts read them. Undefined: data of another form. */
export function termsOfCalls(data: string): SignedTerms | undefined {
  const index = PACKED_INDEX[data.slice(2, SELECTOR_DIGITS)]
  if (index === undefined) return undefined
  const call = hexBytes(`0x${data.slice(SELECTOR_DIGITS)}`)
  const packed = wordAt(call, index * WORD_BYTES)
  if (packed === undefined || packed > BigInt(call.length)) return undefined
  const start = Number(packed) + WORD_BYTES
  if (call.length < start + TERMS_END) return undefined
  const read = (from: number, to: number) =>
    BigInt(`0x${Buffer.from(call.subarray(start + from, start + to)).toString("hex")}`)
  return { nonce: read(NONCE_OFFSET, DEADLINE_OFFSET), deadline: read(DEADLINE_OFFSET, TERMS_END) }
}

function wordAt(data: Uint8Array, at: number): bigint | undefined {
  const found = data.subarray(at, at + WORD_BYTES)
  return found.length === WORD_BYTES ? BigInt(`0x${Buffer.from(found).toString("hex")}`) : undefined
}

/** ABI encoding of a call whose dynamic arguments follow the static ones. */
function encode(selector: string, head: readonly Uint8Array[], dynamic: readonly Uint8Array[]): string {
  const call = Buffer.concat([Buffer.from(selector, "hex"), ...withOffsets(head, dynamic)])
  return `0x${call.toString("hex")}`
}

/** Static words, the offset of each dynamic value, and these values. */
function withOffsets(head: readonly Uint8Array[], dynamic: readonly Uint8Array[]): Uint8Array[] {
  let offset = (head.length + dynamic.length) * WORD_BYTES
  const offsets = dynamic.map((value) => {
    const own = word(BigInt(offset))
    offset += value.length
    return own
  })
  return [...head, ...offsets, ...dynamic]
}

function callList(calls: readonly Call[]): Uint8Array {
  const items = calls.map(({ to, value, data }) =>
    Buffer.concat(withOffsets([addressWord(to), word(value)], [bytes(hexBytes(data))])),
  )
  return Buffer.concat([word(BigInt(items.length)), ...withOffsets([], items)])
}

/** Length and bytes, filled up to whole words. */
function bytes(value: Uint8Array): Uint8Array {
  const padding = new Uint8Array((WORD_BYTES - (value.length % WORD_BYTES)) % WORD_BYTES)
  return Buffer.concat([word(BigInt(value.length)), value, padding])
}

function callWords({ to, value, data }: Call): Uint8Array[] {
  return [addressWord(to), word(value), hashOf(hexBytes(data))]
}

const WORD_BYTES = 32

function word(value: bigint): Uint8Array {
  return bigEndian(value, WORD_BYTES)
}

function addressWord(address: string): Uint8Array {
  return word(BigInt(address))
}

function bigEndian(value: bigint, length: number): Uint8Array {
  return Buffer.from(value.toString(16).padStart(length * 2, "0"), "hex")
}

function hexBytes(hex: string): Uint8Array {
  return Buffer.from(hex.slice(2), "hex")
}

function text(value: string): Uint8Array {
  return Buffer.from(value)
}

function typeHash(type: string): Uint8Array {
  return keccak_256(text(type))
}

function hashOf(...parts: readonly Uint8Array[]): Uint8Array {
  return keccak_256(Buffer.concat(parts))
}
