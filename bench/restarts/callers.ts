import { randomBytes } from "node:crypto"
import { setTimeout as pause } from "node:timers/promises"
import type { Target } from "../load/target.ts"
import { StampingClient } from "../suborgs/caller.ts"

/** A request with the bytes that it was sent with. */
type Sent = { path: string; content: object }

export type Counts = { served: number; unavailable: number; other: number }

/** While nothing is served a caller would send thousands of requests a second. */
const PAUSE_MS = 5

/** Callers who send signatures and changes one after the other, and remember what was not served. */
export class Callers {
  readonly counts: Counts = { served: 0, unavailable: 0, other: 0 }
  readonly #target: Target
  readonly #caller: StampingClient
  #unserved: Sent[] = []
  #isStopped = false
  readonly #running: Promise<unknown>

  constructor(target: Target, count: number) {
    this.#target = target
    this.#caller = new StampingClient(target, target)
    this.#running = Promise.all(Array.from({ length: count }, (_, index) => this.#sendOn(index)))
  }

  /** Sends new requests one after the other. Returns how many are served. */
  async sendNew(count: number): Promise<number> {
    let served = 0
    for (let index = 0; index < count; index++) if ((await this.#send(this.#request(index))) === 200) served++
    return served
  }

  /** Sends changes at once: each has a transaction, and needs a connection of its own. */
  async sendTogether(count: number): Promise<void> {
    await Promise.all(Array.from({ length: count }, () => this.#send(this.#request(1))))
  }

  /** Stops, and sends once more each request that was not served. */
  async stop(): Promise<{ repeated: number; served: number }> {
    this.#isStopped = true
    await this.#running
    const unserved = this.#unserved
    this.#unserved = []
    let served = 0
    for (const sent of unserved) if ((await this.#send(sent)) === 200) served++
    this.#caller.close()
    return { repeated: unserved.length, served }
  }

  async #sendOn(first: number): Promise<void> {
    for (let index = first; !this.#isStopped; index++) {
      const sent = this.#request(index)
      const status = await this.#send(sent)
      if (status === 200) this.counts.served++
      else {
        this.#unserved.push(sent)
        this.counts[status === 503 ? "unavailable" : "other"]++
        await pause(PAUSE_MS)
      }
    }
  }

  /** 0: the API closed the connection without an answer. */
  async #send({ path, content }: Sent): Promise<number> {
    return this.#caller.call(path, content).then(
      ({ status }) => status,
      () => 0,
    )
  }

  /** In turn a signature, which is one statement, and a new wallet, which is a transaction. */
  #request(index: number): Sent {
    const { organizationId, signWith } = this.#target
    const name = randomBytes(16).toString("hex")
    const [path, type, parameters] =
      index % 2 === 0
        ? (["sign_raw_payload", "SIGN_RAW_PAYLOAD_V2", { signWith, payload: name, ...PAYLOAD }] as const)
        : (["create_wallet", "CREATE_WALLET", { walletName: name, accounts: [ACCOUNT] }] as const)
    const envelope = { type: `ACTIVITY_TYPE_${type}`, timestampMs: String(Date.now()), organizationId }
    return { path: `submit/${path}`, content: { ...envelope, parameters } }
  }
}

const PAYLOAD = { encoding: "PAYLOAD_ENCODING_HEXADECIMAL", hashFunction: "HASH_FUNCTION_SHA256" }
const ACCOUNT = {
  curve: "CURVE_SECP256K1",
  pathFormat: "PATH_FORMAT_BIP32",
  path: "m/44'/60'/0'/0/0",
  addressFormat: "ADDRESS_FORMAT_ETHEREUM",
}
