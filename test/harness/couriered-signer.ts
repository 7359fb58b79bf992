import { setTimeout as pause } from "node:timers/promises"
import type { Test } from "tap"
import { createLogger } from "../../services/common/logger.ts"
import { SignerClient } from "../../services/api/signer/client.ts"
import { PeerTls } from "../../services/api/signer/peer-tls.ts"
import { connectSigner } from "../../services/api/signer/transport.ts"
import { httpWitness } from "../../services/api/signer/witness.ts"
import { WitnessCourier } from "../../services/api/signer/witness-courier.ts"
import { patienceMs } from "./patience.ts"
import { RunningBoundary } from "./running-boundary.ts"

type Named = { readonly key: string; readonly url: string }

/** A signer as a process, and the API tier's courier between it and witnesses. */
export class CourieredSigner {
  readonly boundary: RunningBoundary
  #courier: WitnessCourier | undefined
  #client: SignerClient | undefined

  private constructor(boundary: RunningBoundary) {
    this.boundary = boundary
  }

  static async start(t: Test): Promise<CourieredSigner> {
    const signer = new CourieredSigner(await RunningBoundary.start())
    t.teardown(async () => {
      await signer.part()
      await signer.boundary.close()
    })
    return signer
  }

  /** Starts it with these witnesses, of which one has to cosign. @param meanwhile runs while it is stopped */
  async restartWith(witnesses: readonly Named[], meanwhile: () => void = () => undefined): Promise<void> {
    await this.part()
    await this.boundary.restartAfter(() => {
      meanwhile()
      Object.assign(this.boundary.environment, {
        COUNTERSIGN_SIGNER_WITNESSES: witnesses.map(({ key }) => key).join(","),
        COUNTERSIGN_SIGNER_WITNESS_THRESHOLD: witnesses.length === 0 ? "0" : "1",
      })
    })
    this.#meet(witnesses)
  }

  #meet(witnesses: readonly Named[]): void {
    const { address, caller } = this.boundary
    const { caFile, certificateFile, keyFile } = caller
    const log = createLogger("courier", "fatal")
    const tls = new PeerTls("signer", { ca: caFile, certificate: certificateFile, key: keyFile }, log)
    this.#client = new SignerClient(connectSigner({ address, tls }))
    this.#courier = new WitnessCourier({
      signer: this.#client,
      witnesses: witnesses.map(({ url }) => httpWitness(new URL(url))),
      log,
    })
    this.#courier.start()
  }

  /** Stops the courier. */
  async part(): Promise<void> {
    await this.#courier?.close()
    this.#client?.close()
  }

  /** The signer's phase and its words, as `countersign-signer status` prints them. */
  async status(): Promise<string> {
    const { phase, explanation } = await this.boundary.operate((call) => call.getStatus({}))
    return `${PHASES[phase] ?? phase}: ${explanation}`
  }

  /** Waits until the status matches. */
  async until(said: RegExp): Promise<string> {
    const giveUp = performance.now() + patienceMs(60_000)
    for (;;) {
      const status = await this.status()
      if (said.test(status)) return status
      if (performance.now() > giveUp) throw new Error(`the signer says ${status}, and not ${said}`)
      await pause(50)
    }
  }
}

const PHASES: { readonly [phase: number]: string } = { 1: "READY", 4: "LEDGER_OLDER", 8: "UNWITNESSED" }
