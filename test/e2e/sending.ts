import type { Test } from "tap"
import type { Anvil } from "../harness/anvil.ts"
import { freshDatabase } from "../harness/database.ts"
import { type CreatedOrganization, type Json, System } from "../harness/system.ts"
import { startWorker } from "../services/worker/start-worker.ts"
import { SendingClient } from "./sends.ts"
import { wallet } from "./wallets.ts"

const ETHER = 10n ** 18n

type Options = {
  chain: Anvil
  /** Address of the chain's node for API and worker; absent: the chain's own. */
  nodeUrl?: string
  /** Settings of the signer. */
  signer?: NodeJS.ProcessEnv
}

/** Signer, API and worker as processes on one chain, with an organization. */
export async function startSending(t: Test, { chain, nodeUrl = chain.url, signer = {} }: Options) {
  const { url, sql } = await freshDatabase(t)
  const environment = { COUNTERSIGN_CHAINS: `eip155:${chain.chainId}=${nodeUrl}` }
  const system = await System.start(url, environment, signer)
  t.teardown(() => system.stop())
  const startOwnWorker = () => startWorker(t, { ...environment, DATABASE_URL: url })
  const acme = await system.createOrganization()
  const client = new EthereumSends(system, acme, chain)
  return { system, sql, worker: await startOwnWorker(), startOwnWorker, acme, client }
}

/** Sends on one EVM chain, and their effects as the chain has them. */
export class EthereumSends extends SendingClient {
  readonly caip2: string
  readonly #wallet: (name: string) => Promise<string>
  readonly #chain: Anvil

  constructor(
    system: System,
    organization: CreatedOrganization,
    chain: Anvil,
    path = "eth_send_transaction",
  ) {
    super(system, organization, path)
    this.#wallet = (name) => wallet(system, organization, name)
    this.#chain = chain
    this.caip2 = `eip155:${chain.chainId}`
  }

  override body(parameters: object, version = ""): string {
    return super.body({ caip2: this.caip2, ...parameters }, version)
  }

  /** A new account that holds so many wei. */
  async account(wei = 100n * ETHER): Promise<string> {
    const address = await this.#wallet(`Wallet ${performance.now()}`)
    await this.fund(address, wei)
    return address
  }

  async fund(address: string, wei = 100n * ETHER): Promise<void> {
    await this.#chain.call("anvil_setBalance", address, `0x${wei.toString(16)}`)
  }

  /** Sends, waits for its inclusion, and returns the mined transaction with its receipt. */
  async mined(parameters: object, version = ""): Promise<Mined> {
    const status = await this.ended(await this.statusId(this.body(parameters, version)))
    if (status["txStatus"] !== "INCLUDED") throw new Error(JSON.stringify(status))
    const { txHash } = status["eth"] as { txHash: string }
    const [receipt, transaction] = await Promise.all([
      this.#chain.call<Json>("eth_getTransactionReceipt", txHash),
      this.#chain.call<Json>("eth_getTransactionByHash", txHash),
    ])
    return { status, receipt, transaction }
  }

  async balance(address: string): Promise<bigint> {
    return BigInt(await this.#chain.call<string>("eth_getBalance", address, "latest"))
  }
}

type Mined = { status: Json; receipt: Json; transaction: Json }
