import fc from "fast-check"
import type { AppendFault } from "./faulty-store.ts"
import type { Manner } from "./tier.ts"

/** Numbers choose among what is there when the step runs, so that a shorter list of steps is a run too. */
export type OrderStep = {
  act: string
  organization: number
  actor: number
  one: number
  other: number
  manner: Manner
  /** Turns of the event loop before it is sent. */
  turns: number
  /** True if the answer gets lost on its way. */
  isLost: boolean
  /** True if the same body is sent twice at once. */
  isDouble: boolean
}

/** Moments at which the answer to a request changes. */
export type Edge = "hour" | "expiry" | "lapse"

/** An acknowledgement that is sent while orders are under way. */
export type AcknowledgementStep = { which: number; turns: number }

export type Step =
  | {
      is: "orders"
      orders: OrderStep[]
      acknowledgements: AcknowledgementStep[]
      faults: AppendFault[]
      delays: number[]
      killAfterTurns: number
      /** Turn at which the process is stopped gracefully; negative: it is not stopped. */
      stopAfterTurns: number
      /** Turn at which Recover is called while they are under way; negative: it is not. */
      watchAtTurn: number
    }
  | { is: "again"; which: number; actor: number; manner: Manner }
  /** A request that is held back until an edge. `isSentBefore`: a copy of it is sent at once. */
  | { is: "held"; order: OrderStep; edge: Edge; offsetMs: number; isSentBefore: boolean }
  | { is: "forged"; of: "stamp" | "document" | "record" | "ledger"; which: number; at: number }
  /** `isWritten`: the timer that writes acknowledgements fires. Otherwise the next change writes them. */
  | { is: "acknowledge"; which: number[]; isWritten: boolean }
  | { is: "pass"; ms: number }
  | { is: "restart" }
  /** The host's clock is ahead at a start, and an operator sets it back. */
  | { is: "clock"; aheadMs: number }
  | { is: "rollback"; transactions: number }
  | { is: "kill" }

const number = fc.nat(1000)

const weighted = <T>(...choices: [weight: number, value: T][]) =>
  fc.oneof(...choices.map(([weight, value]) => ({ weight, arbitrary: fc.constant(value) })))

const act = weighted(
  [6, "sign"],
  [3, "login"],
  [4, "create-user"],
  [2, "delete-user"],
  [3, "create-key"],
  [3, "delete-key"],
  [3, "set-quorum"],
  [6, "create-policy"],
  [3, "delete-policy"],
  [2, "create-tag"],
  [1, "delete-tag"],
  [2, "create-wallet"],
  [1, "create-account"],
  [1, "create-child"],
  [12, "approve"],
  [3, "reject"],
)

const manner = weighted<Manner>(
  [10, "honest"],
  [3, "older"],
  [1, "of-another"],
  [1, "altered"],
  [1, "nothing"],
)
const isRare = weighted([9, false], [1, true])

const order = fc.record({
  act,
  organization: number,
  actor: number,
  one: number,
  other: number,
  manner,
  turns: fc.nat(6),
  isLost: isRare,
  isDouble: isRare,
})

const fault = weighted<AppendFault>(
  [20, "none"],
  [1, "lost"],
  [1, "answer-lost"],
  [1, "killed-before"],
  [1, "killed-after"],
  [1, "full"],
)

const orders = fc.record({
  is: fc.constant("orders" as const),
  orders: fc.oneof(
    { weight: 3, arbitrary: fc.array(order, { minLength: 1, maxLength: 1 }) },
    { weight: 1, arbitrary: fc.array(order, { minLength: 2, maxLength: 3 }) },
  ),
  acknowledgements: fc.array(fc.record({ which: number, turns: fc.nat(8) }), { maxLength: 2 }),
  faults: fc.array(fault, { maxLength: 3 }),
  delays: fc.array(fc.nat(4), { maxLength: 3 }),
  killAfterTurns: fc.oneof({ weight: 24, arbitrary: fc.constant(-1) }, { weight: 1, arbitrary: fc.nat(12) }),
  stopAfterTurns: fc.oneof({ weight: 24, arbitrary: fc.constant(-1) }, { weight: 1, arbitrary: fc.nat(12) }),
  watchAtTurn: fc.oneof({ weight: 2, arbitrary: fc.constant(-1) }, { weight: 1, arbitrary: fc.nat(16) }),
})

const held = fc.record({
  is: fc.constant("held" as const),
  order,
  edge: weighted<Edge>([3, "hour"], [1, "expiry"], [3, "lapse"]),
  offsetMs: fc.constantFrom(-1, 0, 1),
  isSentBefore: fc.boolean(),
})

const forged = fc.record({
  is: fc.constant("forged" as const),
  of: weighted(
    [2, "stamp" as const],
    [2, "document" as const],
    [2, "record" as const],
    [3, "ledger" as const],
  ),
  which: number,
  at: number,
})

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 40, arbitrary: orders },
  {
    weight: 4,
    arbitrary: fc.record({ is: fc.constant("again" as const), which: number, actor: number, manner }),
  },
  { weight: 4, arbitrary: forged },
  { weight: 3, arbitrary: held },
  {
    weight: 3,
    arbitrary: fc.record({
      is: fc.constant("acknowledge" as const),
      which: fc.array(number, { minLength: 1, maxLength: 4 }),
      isWritten: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      is: fc.constant("pass" as const),
      ms: weighted([4, 1_000], [2, 10 * 60_000], [1, 3_600_000], [1, 25 * 3_600_000]),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ is: "restart" as const }) },
  {
    weight: 1,
    arbitrary: fc.record({
      is: fc.constant("clock" as const),
      aheadMs: fc.constantFrom(10 * 60_000, 2 * 24 * 3_600_000),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      is: fc.constant("rollback" as const),
      transactions: fc.integer({ min: 1, max: 12 }),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ is: "kill" as const }) },
)

/** Runs of at most so many steps. */
export const runs = (maxLength: number): fc.Arbitrary<Step[]> =>
  fc.array(step, { minLength: 1, maxLength, size: "max" })
