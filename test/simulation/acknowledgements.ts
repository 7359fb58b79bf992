import { Refusal } from "../../signer/core/refusal.ts"
import type { Done, World } from "./oracle.ts"
import type { Figures } from "./figures.ts"
import type { SimulatedSigner } from "./simulated-signer.ts"

type Sent = {
  organizationId: string
  key: string
  /** The start of the process that has it. */
  start: number
  /** `full`: refused, because the disk was. `unknown`: only the next start finds out. Absent: under way. */
  ended?: "written" | "full" | "unknown"
}

/** Acknowledgements of a run, which are written some time after the signer has them. */
export class Acknowledgements {
  #sent: Sent[] = []
  readonly #signer: SimulatedSigner
  readonly #figures: Figures

  constructor(signer: SimulatedSigner, figures: Figures) {
    this.#signer = signer
    this.#figures = figures
  }

  /** Acknowledges one of the outcomes that are kept. Resolves when its end is known to this process. */
  async send(world: World, which: number): Promise<void> {
    const kept = [...world.values()].flatMap(({ organizationId, done }) =>
      [...done].flatMap(([key, each]) => (each.acknowledged === "no" ? [{ organizationId, key, each }] : [])),
    )
    const chosen = kept[which % Math.max(1, kept.length)]
    if (chosen === undefined || !this.#signer.isRunning) return
    const { organizationId, key, each } = chosen
    const [fingerprint = "", credential = ""] = key.split("/")
    const sent: Sent = { organizationId, key, start: this.#signer.starts }
    this.#sent.push(sent)
    each.acknowledged = "under way"
    this.#figures.acknowledged += 1
    const name = { organizationId, fingerprint: Buffer.from(fingerprint, "hex"), credential }
    try {
      await this.#signer.acknowledge(name)
      sent.ended = "written"
    } catch (error) {
      sent.ended = error instanceof Refusal && error.code === "LEDGER_FULL" ? "full" : "unknown"
    }
  }

  /** Records in the world how each has ended so far. */
  settle(world: World): void {
    this.#sent = this.#sent.filter((sent) => {
      const state = this.#stateOf(sent)
      world.get(sent.organizationId)!.done.get(sent.key)!.acknowledged = state
      return state === "under way"
    })
  }

  #stateOf({ ended, start }: Sent): Done["acknowledged"] {
    if (ended === "written") return "yes"
    if (ended === "full") return "no"
    return start === this.#signer.starts ? "under way" : "unknown"
  }
}
