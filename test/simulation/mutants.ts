import { Effect } from "../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { RecoveredOutcome } from "../../proto/gen/countersign/signer/v1/signer_pb.ts"
import type { OrganizationDocument } from "../../proto/gen/countersign/state/v1/document_pb.ts"
import { RecordKind, type Record as StoredRecord } from "../../proto/gen/countersign/state/v1/record_pb.ts"
import type { DecisionLog } from "../../signer/enclave/log/decision-log.ts"
import type { Observed } from "./oracle.ts"

type Decide = DecisionLog["decide"]

/** A fault of the signer that the simulator has to find. */
export type Mutant = Partial<{
  answer: (observed: Observed) => Observed
  recovered: (outcomes: RecoveredOutcome[]) => RecoveredOutcome[]
  document: (document: OrganizationDocument) => OrganizationDocument
  records: (records: StoredRecord[]) => StoredRecord[]
  /** Syncs of files reach no disk. */
  ignoresSyncs: boolean
  /** Takes altered ones for unaltered ones. */
  overlooks: "document" | "record" | "ledger"
  decide: (decide: Decide, ...decision: Parameters<Decide>) => Uint8Array
  /** Head and leaves of the log as they are read. */
  log: <T extends { checkpoint: Uint8Array; leaves: Uint8Array }>(read: T) => T
}>

const NOTHING = {
  is: "outcome",
  status: "COMPLETED",
  activityId: "",
  failure: "",
  created: [],
  version: 0n,
  keys: [],
  isKept: true,
  signer: "",
} satisfies Observed

/** Mutants by their fault. Some remember, so each run needs a new one. */
export const MUTANTS: Record<string, () => Mutant> = {
  "an activity that must wait is carried out": () => ({
    answer: (observed) =>
      observed.is === "outcome" && observed.status === "CONSENSUS_NEEDED"
        ? { ...observed, status: "COMPLETED" }
        : observed,
  }),
  "an activity that is denied waits": () => ({
    answer: (observed) =>
      observed.is === "refused" && observed.code === "PERMISSION_DENIED"
        ? { ...NOTHING, status: "CONSENSUS_NEEDED" }
        : observed,
  }),
  "another key signs": () => ({
    answer: (observed) =>
      observed.is === "outcome" && observed.signer !== ""
        ? { ...observed, signer: `0x${"11".repeat(20)}` }
        : observed,
  }),
  "a version is left out": () => ({
    answer: (observed) =>
      observed.is === "outcome" && observed.version > 2n
        ? { ...observed, version: observed.version + 1n }
        : observed,
  }),
  "an id is given twice": () => ({
    answer: (observed) =>
      observed.is === "outcome" && observed.created.length > 0 ? { ...observed, created: ["one"] } : observed,
  }),
  "an outcome that was not acknowledged is not recovered": () => ({
    recovered: (outcomes) => outcomes.slice(1),
  }),
  "an acknowledged outcome is recovered again": () => {
    const all = new Map<string, RecoveredOutcome>()
    return {
      recovered(outcomes) {
        for (const each of outcomes) all.set(each.outcome!.decision!.voteId, each)
        return [...all.values()]
      },
    }
  },
  "an outcome that comes back is another one": () => {
    const seen = new Set<string>()
    let earlier = new Set<string>()
    return {
      recovered(outcomes) {
        const ids = new Set(outcomes.map(({ outcome }) => outcome!.decision!.voteId))
        for (const { outcome } of outcomes) {
          const { decision } = outcome!
          if (seen.has(decision!.voteId) && !earlier.has(decision!.voteId)) outcome!.opened = !outcome!.opened
          seen.add(decision!.voteId)
        }
        earlier = ids
        return outcomes
      },
    }
  },
  "a head is signed before its leaves are durable": () => ({ ignoresSyncs: true }),
  "an altered document is overlooked": () => ({ overlooks: "document" }),
  "an altered record is overlooked": () => ({ overlooks: "record" }),
  "an altered bit of the ledger is overlooked": () => ({ overlooks: "ledger" }),
  "a policy is stored with another effect": () => ({
    document: (document) => ({
      ...document,
      policies: document.policies.map((policy) => ({ ...policy, effect: Effect.ALLOW })),
    }),
  }),
  "a wallet's record is lost": () => ({
    records: (records) => records.filter(({ kind }) => kind !== RecordKind.WALLET),
  }),
  "an account is stored in another wallet": () => ({
    records(records) {
      const of = (kind: RecordKind) => records.filter((record) => record.kind === kind)
      const [first, second] = of(RecordKind.WALLET_ACCOUNT)
      if (first !== undefined && second !== undefined) second.payload = first.payload
      return records
    },
  }),
  "a decision gets the receipt of another one": () => {
    let first: Uint8Array | undefined
    return {
      decide(decide, decision) {
        const receipt = decide(decision)
        return (first ??= receipt)
      },
    }
  },
  "a decision is in the log twice": () => ({
    decide(decide, decision) {
      decide(decision)
      return decide(decision)
    },
  }),
  "a receipt opens no leaf": () => ({
    decide(decide, decision) {
      const receipt = Buffer.from(decide(decision))
      receipt[receipt.length - 1]! ^= 1
      return receipt
    },
  }),
  "a decision has no receipt": () => ({
    decide(decide, decision) {
      const receipt = decide(decision)
      return decision.decidedAtMs % 7 === 0 ? new Uint8Array(0) : receipt
    },
  }),
  "a head does not continue the one before": () => ({
    log: (read) => (read.leaves.length === 0 ? read : { ...read, leaves: withOther(read.leaves) }),
  }),
  "a head is set back": () => {
    let first: Uint8Array | undefined
    return { log: (read) => ({ ...read, checkpoint: (first ??= read.checkpoint) }) }
  },
}

const withOther = (leaves: Uint8Array): Uint8Array => {
  const other = Uint8Array.from(leaves)
  other[other.length - 1]! ^= 1
  return other
}
