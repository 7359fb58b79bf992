// A Solana node of our own: litesvm behind the JSON-RPC of Solana's nodes. Blocks come when a test asks for them.
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { json } from "node:stream/consumers"
import { once } from "node:events"
import { type Address, address, getTransactionDecoder, lamports } from "@solana/kit"
import { base58 } from "@scure/base"
import { FailedTransactionMetadata, LiteSVM } from "litesvm"
import { errorJson, errorText } from "./solana-errors.ts"

/** The part of tap's test that runs clean-ups. */
type Teardown = { teardown(clean: () => unknown): unknown }

type Call = { id: unknown; method: string; params?: readonly unknown[] }
type Status = { slot: number; err: unknown }

/** An error of JSON-RPC, as nodes answer it. */
class RpcError extends Error {
  readonly code: number
  readonly data: unknown

  constructor(code: number, message: string, data?: unknown) {
    super(message)
    this.code = code
    this.data = data
  }
}

/** Blocks for which a block hash can be used. */
const VALID_BLOCKS = 150
const FIRST_HEIGHT = 1_000

/** Codes of Solana's nodes (rpc-client-api, custom_error.rs). */
const PREFLIGHT_FAILURE = -32_002
const SIGNATURE_INVALID = -32_003

/** A local Solana chain and its node. */
export class SolanaChain {
  readonly svm = new LiteSVM()
  /** Transactions that were handed in, base64, in their order; also those that were refused. */
  readonly received: string[] = []
  /** Accounts whose transactions the node takes and no leader includes. */
  readonly dropped = new Set<string>()
  /** The commitment of everything that is included. */
  commitment: "processed" | "confirmed" | "finalized" = "confirmed"
  /** Off: transactions are included without a simulation, as if the state had changed after it. */
  preflight = true
  /** Runs before each answer. */
  before: (method: string) => void = () => undefined
  readonly genesisHash = base58.encode(new Uint8Array(32).fill(3))
  readonly #statuses = new Map<string, Status>()
  #height = FIRST_HEIGHT
  #finalSlot = FIRST_HEIGHT - 1
  #server: Server | undefined
  #port = 0

  static async start(t: Teardown): Promise<SolanaChain> {
    const chain = new SolanaChain()
    await chain.start()
    t.teardown(() => chain.stop())
    return chain
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  /** Listens, at the port of before if there was one. */
  async start(): Promise<void> {
    const server = createServer((request, response) => {
      void json(request)
        .then((call) => this.#reply(call as Call))
        .then((reply) => response.setHeader("content-type", "application/json").end(JSON.stringify(reply)))
    })
    server.listen(this.#port, "127.0.0.1")
    await once(server, "listening")
    this.#port = (server.address() as AddressInfo).port
    this.#server = server
  }

  /** Ends all connections; the chain stays as it is. */
  async stop(): Promise<void> {
    const server = this.#server
    this.#server = undefined
    if (server === undefined) return
    server.closeAllConnections()
    server.close()
    await once(server, "close")
  }

  /** The last height at which the newest block hash can be used. */
  get lastValidBlockHeight(): bigint {
    return BigInt(this.#height + VALID_BLOCKS)
  }

  fund(account: string, amount: bigint): void {
    const result = this.svm.airdrop(address(account), lamports(amount))
    if (result instanceof FailedTransactionMetadata) throw new Error(`no airdrop: ${result.toString()}`)
  }

  balance(account: string): bigint {
    return this.svm.getBalance(address(account)) ?? 0n
  }

  /** Adds so many blocks; a block hash is not used for longer than nodes take it. */
  produce(blocks: number): void {
    this.#height += blocks
    if (blocks > VALID_BLOCKS) this.svm.expireBlockhash()
  }

  /** Nodes forget a transaction, as after a fork that lost. */
  vanish(signature: string): void {
    this.#statuses.delete(signature)
  }

  /** All blocks so far are final. */
  finalizeAll(): void {
    this.#finalSlot = this.#height
  }

  /** Includes a transaction that was dropped. */
  include(raw: string): void {
    this.#include(decode(raw))
  }

  async #reply({ id, method, params = [] }: Call) {
    try {
      this.before(method)
      return { jsonrpc: "2.0", id, result: this.#answer(method, params) }
    } catch (error) {
      const { code = -32_603, message, data } = error as Partial<RpcError>
      return { jsonrpc: "2.0", id, error: { code, message, data } }
    }
  }

  #answer(method: string, params: readonly unknown[]): unknown {
    const [first] = params
    switch (method) {
      case "getGenesisHash":
        return this.genesisHash
      case "getBlockHeight":
        return this.#height
      case "getSlot":
        return this.#finalSlot
      case "getLatestBlockhash": {
        const blockhash = this.svm.latestBlockhash()
        return this.#at({ blockhash, lastValidBlockHeight: Number(this.lastValidBlockHeight) })
      }
      case "isBlockhashValid":
        return this.#at(first === this.svm.latestBlockhash())
      case "getBalance":
        return this.#at(Number(this.balance(String(first))))
      case "getAccountInfo":
        return this.#at(this.#account(address(String(first))))
      case "getSignatureStatuses":
        return this.#at((first as string[]).map((signature) => this.#status(signature)))
      case "simulateTransaction":
        return this.#at(this.#simulate(decode(String(first))))
      case "sendTransaction":
        return this.#send(String(first))
      default:
        throw new RpcError(-32_601, `Method not found: ${method}`)
    }
  }

  #at(value: unknown) {
    return { context: { slot: this.#height }, value }
  }

  #account(of: Address) {
    const account = this.svm.getAccount(of)
    if (!account.exists) return null
    const { data, executable, lamports: amount, programAddress, space } = account
    return {
      data: [Buffer.from(data).toString("base64"), "base64"],
      executable,
      lamports: Number(amount),
      owner: programAddress,
      rentEpoch: 0,
      space: Number(space),
    }
  }

  #status(signature: string) {
    const status = this.#statuses.get(signature)
    if (status === undefined) return null
    const { slot, err } = status
    const result = err === null ? { Ok: null } : { Err: err }
    const isFinal = this.commitment === "finalized"
    return {
      slot,
      err,
      confirmations: isFinal ? null : 1,
      confirmationStatus: this.commitment,
      status: result,
    }
  }

  #simulate(transaction: Transaction) {
    const simulated = this.svm.simulateTransaction(transaction)
    const failed = simulated instanceof FailedTransactionMetadata ? simulated : undefined
    const meta = simulated.meta()
    const unitsConsumed = Number(meta.computeUnitsConsumed())
    return { err: failed ? errorJson(failed) : null, logs: meta.logs(), unitsConsumed, accounts: null }
  }

  #send(raw: string): string {
    this.received.push(raw)
    const transaction = decode(raw)
    if (this.preflight) {
      const simulated = this.#simulate(transaction)
      const { err } = simulated
      if (err === "SignatureFailure")
        throw new RpcError(SIGNATURE_INVALID, "Transaction signature verification failure")
      if (err !== null)
        throw new RpcError(PREFLIGHT_FAILURE, `Transaction simulation failed: ${errorText(err)}`, simulated)
    }
    const [payer = ""] = Object.keys(transaction.signatures)
    return this.dropped.has(payer) ? signatureOf(transaction) : this.#include(transaction)
  }

  #include(transaction: Transaction): string {
    const sent = this.svm.sendTransaction(transaction)
    const err = sent instanceof FailedTransactionMetadata ? errorJson(sent) : null
    const signature = signatureOf(transaction)
    if (err !== "AlreadyProcessed") this.#statuses.set(signature, { slot: this.#height, err })
    return signature
  }
}

type Transaction = ReturnType<ReturnType<typeof getTransactionDecoder>["decode"]>

function decode(raw: string): Transaction {
  try {
    return getTransactionDecoder().decode(Buffer.from(raw, "base64"))
  } catch {
    throw new RpcError(-32_602, "invalid params: failed to deserialize the transaction")
  }
}

function signatureOf({ signatures }: Transaction): string {
  const [first] = Object.values(signatures)
  return base58.encode(Uint8Array.from(first ?? []))
}
