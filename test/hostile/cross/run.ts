import type { RecordKind } from "../../../proto/gen/countersign/state/v1/record_pb.ts"
import { chance } from "../../harness/chance.ts"
import { sweptOrders } from "../sweep/orders.ts"
import { OrderPreparation } from "../sweep/prepared-orders.ts"
import { ACTIVITIES, runActivity } from "./caller-cells.ts"
import { Figures } from "./figures.ts"
import { runMembers } from "./member-cells.ts"
import { countAbsentKinds, runRecords } from "./record-cells.ts"
import { CrossSetup } from "./cross-setup.ts"

/** `share`: number of activities that the seed chooses; absent: all. `names`: run only the activities and orders of these names. */
export type Choice = { seed: number; share?: number | undefined; names?: readonly string[] }

type Teardown = { teardown(clean: () => Promise<void>): unknown }

/** The cross products. Each can be run without the others. */
export class Cross {
  readonly callers = new Figures("activity × caller × state")
  readonly records = new Figures("record × move")
  readonly members = new Figures("activity × member × spelling")
  /** Filled by `runCallers` and `runRecords`, whose refused requests are sent again. */
  readonly retries = new Figures("refusal × retry")
  readonly #choice: Choice

  constructor(choice: Choice) {
    this.#choice = choice
  }

  async runCallers(t: Teardown): Promise<void> {
    const { callers, retries } = this
    const setup = await CrossSetup.open(t)
    for (const name of this.#chosen(ACTIVITIES, 1)) {
      await runActivity(setup, name, { callers, retries }).catch((fault: Error) => {
        callers.count(name, fault.message, [])
      })
    }
  }

  async runRecords(t: Teardown): Promise<void> {
    const { records, retries } = this
    const preparation = await OrderPreparation.open(t)
    const { share = Number.POSITIVE_INFINITY, names = [] } = this.#choice
    const chosen = this.#chosen([...sweptOrders.keys()], Number.POSITIVE_INFINITY)
    const brought = new Set<RecordKind>()
    let count = 0
    for (const name of chosen) {
      const kinds = await runRecords(preparation, name, { records, retries }).catch((fault: Error) => {
        records.count(name, fault.message, [])
        return new Set<RecordKind>()
      })
      for (const kind of kinds) brought.add(kind)
      // Orders that bring no record do not count towards the share.
      if (kinds.size > 0) count += 1
      if (count >= share) return
    }
    if (names.length === 0) countAbsentKinds(brought, records)
  }

  runMembers(): void {
    for (const name of this.#chosen(ACTIVITIES, 10)) runMembers(name, this.members)
  }

  get lines(): string[] {
    const figures = [this.callers, this.records, this.members, this.retries]
    return [`seed ${this.#choice.seed}`, ...figures.flatMap((one) => one.lines())]
  }

  get isFaultless(): boolean {
    const figures = [this.callers, this.records, this.members, this.retries]
    return figures.every(({ unexpected }) => unexpected.length === 0)
  }

  /** `weight`: factor of the share; greater for a product whose cells cost less. */
  #chosen(all: readonly string[], weight: number): readonly string[] {
    const { seed, share, names = [] } = this.#choice
    if (names.length > 0) return all.filter((name) => names.includes(name))
    if (share === undefined) return all
    const pick = chance(seed)
    const rest = [...all]
    const count = Math.min(share * weight, all.length)
    return Array.from({ length: count }, () => rest.splice(pick(rest.length), 1)[0]!)
  }
}
