import type { Chain } from "./chains.ts"
import { JsonRpc, NodeRefusal, NodeUnavailable, type RpcLimits } from "./json-rpc.ts"

/** A call as `eth_call` and `eth_estimateGas` take it. */
export type EthereumCall = {
  from: string
  to: string
  /** Wei. */
  value?: bigint
  /** 0x and hex. */
  data?: string
  /** Signed authorizations (EIP-7702), as nodes show those of a transaction. */
  authorizationList?: readonly unknown[]
}

/** The block after which a state is read. `pending` counts transactions that wait in the node's pool too. */
export type StateBlock = bigint | "latest" | "pending"

/** A block of the chain. `timestamp`: Unix time, seconds. */
export type EthereumBlock = { number: bigint; hash: string; timestamp: bigint }

/** Fees for each gas unit, wei. */
export type Fees = { maxFeePerGas: bigint; maxPriorityFeePerGas: bigint }

/** A mined transaction. */
export type TransactionReceipt = { blockNumber: bigint; blockHash: string; succeeded: boolean }

/** A transaction that a node knows. */
export type KnownTransaction = Omit<EthereumCall, "to"> & { to: string | undefined }

const MAX_UINT64 = 2n ** 64n - 1n
const MAX_UINT256 = 2n ** 256n - 1n

/** Selector of `balanceOf(address)`. */
const BALANCE_OF = "0x70a08231"
/** Digits of 0x and a word. */
const WORD_DIGITS = 66
/** A node's code for a call that the contract reverts. */
const REVERTED = 3

/** Bytes of code and of a contract's answer at most. */
const MAX_DATA_BYTES = 256 * 1024

/** One EVM chain through its nodes. Answers that no honest node gives are faults, as if no node had answered. */
export class EthereumNode {
  readonly caip2: string
  readonly #rpc: JsonRpc
  readonly #chainId: bigint
  #verified: Promise<void> | undefined

  constructor({ caip2, reference, urls }: Chain, limits?: RpcLimits) {
    this.caip2 = caip2
    this.#rpc = new JsonRpc(urls, limits)
    this.#chainId = BigInt(reference)
  }

  /** Number of the newest block. */
  async blockNumber(): Promise<bigint> {
    return this.#quantity("eth_blockNumber", [])
  }

  /** The newest block. */
  async latestBlock(): Promise<EthereumBlock> {
    const block = (await this.#verifiedCall("eth_getBlockByNumber", ["latest", false])) as {
      [member: string]: unknown
    } | null
    const number = quantityOf(block?.["number"], MAX_UINT64)
    const timestamp = quantityOf(block?.["timestamp"], MAX_UINT64)
    const hash = block?.["hash"]
    if (number === undefined || timestamp === undefined || !isData(hash))
      throw this.#lie("eth_getBlockByNumber")
    return { number, hash, timestamp }
  }

  /** Hash of the block with this number; undefined: the node has none yet. */
  async blockHash(number: bigint): Promise<string | undefined> {
    const block = await this.#verifiedCall("eth_getBlockByNumber", [hex(number), false])
    if (block === null) return undefined
    const { hash } = block as { hash?: unknown }
    if (!isData(hash)) throw this.#lie("eth_getBlockByNumber")
    return hash
  }

  /** `pending` counts transactions that wait in the node's pool too. */
  async nonce(address: string, at: "latest" | "pending"): Promise<bigint> {
    return this.#quantity("eth_getTransactionCount", [address, at])
  }

  /** Wei of an account, after a block. */
  async balance(address: string, at: bigint | "latest" = "latest"): Promise<bigint> {
    return this.#quantity("eth_getBalance", [address, blockName(at)], MAX_UINT256)
  }

  /** The balance of a token (EIP-20) after a block, in its smallest unit; undefined: the contract states none. */
  async tokenBalance(
    address: string,
    contract: string,
    at: bigint | "latest" = "latest",
  ): Promise<bigint | undefined> {
    const data = `${BALANCE_OF}${address.slice("0x".length).toLowerCase().padStart(64, "0")}`
    try {
      const word = await this.call({ from: address, to: contract, data }, at)
      return word.length < WORD_DIGITS ? undefined : BigInt(word.slice(0, WORD_DIGITS))
    } catch (error) {
      if (error instanceof NodeRefusal && error.code === REVERTED) return undefined
      throw error
    }
  }

  /** Gas units that the call needs now. */
  async estimateGas(call: EthereumCall): Promise<bigint> {
    return this.#quantity("eth_estimateGas", [callObject(call)])
  }

  /** Runs a call without a transaction, on the state after a block. */
  async call(call: EthereumCall, at: bigint | "latest" = "latest"): Promise<string> {
    return this.#data("eth_call", [callObject(call), blockName(at)])
  }

  /** Code of an account, 0x and hex. */
  async code(address: string): Promise<string> {
    return this.#data("eth_getCode", [address, "latest"])
  }

  /** A word of an account's storage. */
  async storage(address: string, slot: string, at: StateBlock = "latest"): Promise<bigint> {
    const word = await this.#data("eth_getStorageAt", [address, slot, blockName(at)])
    if (word.length > 66) throw this.#lie("eth_getStorageAt")
    return BigInt(word === "0x" ? "0x0" : word)
  }

  /** Twice the base fee and the node's tip: covers six full blocks in a row (EIP-1559). */
  async fees(): Promise<Fees> {
    const [block, tip] = await Promise.all([
      this.#verifiedCall("eth_getBlockByNumber", ["latest", false]),
      this.#quantity("eth_maxPriorityFeePerGas", []),
    ])
    const baseFee = quantityOf(
      (block as { baseFeePerGas?: unknown } | null)?.baseFeePerGas ?? "0x0",
      MAX_UINT64,
    )
    if (baseFee === undefined) throw this.#lie("eth_getBlockByNumber")
    return { maxFeePerGas: 2n * baseFee + tip, maxPriorityFeePerGas: tip }
  }

  /**
   * Hands signed bytes to a node.
   *
   * @throws NodeRefusal with the node's reason; NodeUnavailable
   */
  async sendRaw(raw: Uint8Array): Promise<void> {
    await this.#verifiedCall("eth_sendRawTransaction", [`0x${Buffer.from(raw).toString("hex")}`])
  }

  /** The receipt of a mined transaction; undefined: it is not mined. */
  async receipt(hash: string): Promise<TransactionReceipt | undefined> {
    const found = (await this.#verifiedCall("eth_getTransactionReceipt", [hash])) as {
      transactionHash?: unknown
      blockNumber?: unknown
      blockHash?: unknown
      status?: unknown
    } | null
    if (found === null) return undefined
    const { blockHash } = found
    const blockNumber = quantityOf(found.blockNumber, MAX_UINT64)
    const isOurs = String(found.transactionHash).toLowerCase() === hash.toLowerCase()
    if (!isOurs || blockNumber === undefined || !isData(blockHash))
      throw this.#lie("eth_getTransactionReceipt")
    return { blockNumber, blockHash, succeeded: quantityOf(found.status, 1n) === 1n }
  }

  /** A transaction that the node knows, mined or not. */
  async transaction(hash: string): Promise<KnownTransaction | undefined> {
    const found = (await this.#verifiedCall("eth_getTransactionByHash", [hash])) as {
      [member: string]: unknown
    } | null
    if (found === null) return undefined
    const { from, to, input, value, authorizationList } = found
    const wei = quantityOf(value, MAX_UINT256)
    if (!isData(from) || !isData(input) || wei === undefined) throw this.#lie("eth_getTransactionByHash")
    return {
      from,
      to: isData(to) ? to : undefined,
      data: input,
      value: wei,
      ...(Array.isArray(authorizationList) && { authorizationList }),
    }
  }

  async #quantity(method: string, params: readonly unknown[], max = MAX_UINT64): Promise<bigint> {
    const number = quantityOf(await this.#verifiedCall(method, params), max)
    if (number === undefined) throw this.#lie(method)
    return number
  }

  async #data(method: string, params: readonly unknown[]): Promise<string> {
    const data = await this.#verifiedCall(method, params)
    if (!isData(data)) throw this.#lie(method)
    return data
  }

  /** Asks once for the nodes' chain. @throws NodeUnavailable when it is another one, or no node says it */
  requireChain(): Promise<void> {
    return (this.#verified ??= this.#verifyChain().catch((error: unknown) => {
      this.#verified = undefined
      throw error
    }))
  }

  async #verifiedCall(method: string, params: readonly unknown[]): Promise<unknown> {
    await this.requireChain()
    return this.#rpc.call(method, params)
  }

  /** A wrong URL would send a transaction to a chain that refuses it, and show statuses of another chain. */
  async #verifyChain(): Promise<void> {
    const chainId = quantityOf(await this.#rpc.call("eth_chainId", []), MAX_UINT64)
    if (chainId !== this.#chainId)
      throw new NodeUnavailable(
        `the node belongs to chain eip155:${chainId ?? "?"}; correct COUNTERSIGN_CHAINS`,
      )
  }

  #lie(method: string): NodeUnavailable {
    return new NodeUnavailable(`the node's answer to ${method} is none that the method has`)
  }
}

function callObject({ from, to, value = 0n, data = "0x", authorizationList }: EthereumCall) {
  return { from, to, value: hex(value), data, ...(authorizationList && { authorizationList }) }
}

function blockName(at: StateBlock): string {
  return typeof at === "bigint" ? hex(at) : at
}

function hex(number: bigint): string {
  return `0x${number.toString(16)}`
}

function quantityOf(value: unknown, max: bigint): bigint | undefined {
  if (typeof value !== "string" || !/^0x[0-9a-fA-F]{1,64}$/.test(value)) return undefined
  const number = BigInt(value)
  return number <= max ? number : undefined
}

function isData(value: unknown): value is string {
  return (
    typeof value === "string" &&
    value.length <= 2 + 2 * MAX_DATA_BYTES &&
    /^0x(?:[0-9a-fA-F]{2})*$/.test(value)
  )
}
