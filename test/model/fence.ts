// Two writers of one ledger, as docs/formats/ledger.md ("The verbs of a store") describes them: who may append, what an append whose
// answer is lost becomes, and what a writer that was replaced may still write.
import type { Machine } from "./explore.ts"

export const WRITERS = ["A", "B"] as const
export type WriterName = (typeof WRITERS)[number]

/** `at`: batches that the writer knows to be stored. `open`: a batch whose answer it lost. */
export type WriterState = { fence: number; at: number; open: string | undefined }
/** `stored`: the batches in their order, each with the fence of its writer. */
export type LedgerState = {
  fence: number
  stored: readonly { batch: string; fence: number }[]
  writers: Partial<Record<WriterName, WriterState>>
  /** The answer to each batch: `unknown` until its writer appends it again. */
  answers: Readonly<Record<string, Answer>>
}
export type Answer = "done" | "refused" | "unknown"

/** take: the writer starts anew and takes the ledger over. append: one batch. lost: its answer is lost, before or after it is written. settle: the
 *  batch whose answer was lost is appended again. */
export type StoreEvent = {
  is: "take" | "append" | "lost before" | "lost after" | "settle"
  writer: WriterName
}

/** Ways in which a store could be wrong. */
export type StoreFault = "none" | "no fence" | "twice" | "forgets" | "old fence"

const MOST_FENCES = 3
const MOST_BATCHES = 3

const EVENTS: readonly StoreEvent[] = WRITERS.flatMap((writer) =>
  (["take", "append", "lost before", "lost after", "settle"] as const).map((is) => ({ is, writer })),
)

export function fenceWith(fault: StoreFault): Machine<LedgerState, StoreEvent> {
  return {
    initial: { fence: 0, stored: [], writers: {}, answers: {} },
    events: EVENTS,
    next: (state, event) => next(state, event, fault),
    key: (state) =>
      JSON.stringify([state.fence, state.stored, state.writers["A"], state.writers["B"], state.answers]),
  }
}

export const FENCE = fenceWith("none")

function next(state: LedgerState, { is, writer }: StoreEvent, fault: StoreFault): LedgerState {
  if (is === "take") return taken(state, writer, fault)
  const known = state.writers[writer]
  if (known === undefined || !isPossible(state, known, is)) return state
  const batch = is === "settle" ? known.open! : nameOf(writer, known)
  const isStored = state.stored.some((each) => each.batch === batch)
  const mayWrite = known.fence === state.fence || fault === "no fence"
  const isWritten = mayWrite && is !== "lost before" && (!isStored || fault === "twice")
  const stored = isWritten ? [...state.stored, { batch, fence: known.fence }] : state.stored
  const isLost = is === "lost before" || is === "lost after"
  const answer: Answer = isLost ? "unknown" : mayWrite ? "done" : "refused"
  const own = { ...known, open: isLost ? batch : undefined, at: answer === "done" ? known.at + 1 : known.at }
  return {
    ...state,
    stored: fault === "forgets" && is === "settle" ? state.stored.slice(0, -1) : stored,
    writers: { ...state.writers, [writer]: own },
    answers: { ...state.answers, [batch]: answer },
  }
}

function taken(state: LedgerState, writer: WriterName, fault: StoreFault): LedgerState {
  if (state.fence === MOST_FENCES) return state
  const fence = fault === "old fence" && state.fence > 0 ? state.fence : state.fence + 1
  const own = { fence, at: state.stored.length, open: undefined }
  return { ...state, fence, writers: { ...state.writers, [writer]: own } }
}

function isPossible(state: LedgerState, { open, fence }: WriterState, is: StoreEvent["is"]): boolean {
  if (is === "settle") return open !== undefined
  // After a refusal a writer ends; one more append shows that it stays refused.
  return open === undefined && state.stored.length < MOST_BATCHES + (fence === state.fence ? 0 : 1)
}

/** A batch is named by its writer's fence and its position, so that the same one can be appended again. */
export function nameOf(writer: WriterName, { fence, at }: Pick<WriterState, "fence" | "at">): string {
  return `${writer}${fence}.${at}`
}

/** The first promise that a state breaks. */
export function brokenOf({ stored, answers }: LedgerState): string | undefined {
  const names = stored.map(({ batch }) => batch)
  if (new Set(names).size < names.length) return "a batch is stored once"
  if (stored.some(({ fence }, at) => at > 0 && fence < stored[at - 1]!.fence))
    return "after a writer no earlier one writes"
  if (stored.some(({ batch }, at) => !batch.endsWith(`.${at}`))) return "a batch has its writer's position"
  if (Object.entries(answers).some(([batch, answer]) => answer === "done" && !names.includes(batch)))
    return "what is done is stored"
  return undefined
}
