import { randomBytes } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import { readHex } from "../../signer/core/encodings.ts"
import { readDecision, type DecisionStatement } from "../../signer/core/log/leaf.ts"
import { DecisionCounters, type StatedCount } from "../../signer/core/log/verify/counters.ts"
import type { ShownDecision } from "../../signer/core/log/verify/decisions.ts"
import { fromBinary } from "@bufbuild/protobuf"
import { HeadStatementSchema } from "../../proto/gen/countersign/signer/v1/signer_pb.ts"
import {
  type HeadReply,
  headerOf,
  leavesOf,
  type BundleReader,
  ofTheLog,
  originOf,
  type ReceiptsPage,
  type Tree,
  treeWith,
  withEnd,
  withLeaves,
} from "../common/log-bundle.ts"
import { type Querying, query } from "./api-client.ts"

/** A decision is in a checkpoint a second after it, and in one that witnesses cosigned some seconds after it. */
const ATTEMPTS = 60
/** Ids may be made a little before the decision that they are of, or after. */
const MARGIN_MS = 60_000

/** The caller's organization, for one bundle. */
export function logReader(querying: Querying): BundleReader {
  return {
    organizationId: querying.organizationId,
    nonce: randomBytes(16).toString("hex"),
    ask: (path, members) => query(querying, path, members),
    attempts: ATTEMPTS,
    pause: (ms) => sleep(ms),
  }
}

/** An audit to make. Times are Unix milliseconds. */
export type AuditOf = {
  fromMs: number | undefined
  toMs: number | undefined
  /** Notes of checkpoints that the caller kept. */
  kept: readonly string[]
}

/** The bundle of all decisions of an organization between two times. */
export async function auditBundle(reader: BundleReader, { fromMs, toMs, kept }: AuditOf): Promise<string[]> {
  const head = await reader.ask<HeadReply>("get_organization_head", { nonce: reader.nonce })
  const stated = statedIn(head)
  const found = await receipts(reader, { fromMs, toMs }, toMs === undefined ? stated : undefined)
  // Decisions since the statement are not of this audit: no head counts them.
  const decisions = found.filter((decision) => !isAfter(statementOf(decision), stated))
  const tree = await treeWith(reader, ofTheLog(decisions, originOf(head.checkpoint)))
  const header = {
    ...(fromMs !== undefined && { fromMs: String(fromMs) }),
    ...(toMs !== undefined && { toMs: String(toMs) }),
    ...headerOf(reader, tree, head),
    kept: await Promise.all(kept.map((note) => keptOf(reader, note, tree))),
  }
  const starts = new Set(
    decisions.map((one) => statementOf(one)?.startIndex).filter((at) => at !== undefined),
  )
  const around = [...starts].flatMap((at) => (at === 0 ? [0] : [at - 1, at]))
  const leaves = await leavesOf(reader, around, tree)
  return withEnd([header, ...leaves.values(), ...(await withLeaves(reader, decisions, tree))])
}

/** Receipts, newest first, back to the beginning of the range, and further as long as numbers of it are missing. */
async function receipts(
  reader: BundleReader,
  range: { fromMs: number | undefined; toMs: number | undefined },
  stated: StatedCount | undefined,
): Promise<ShownDecision[]> {
  const found: ShownDecision[] = []
  const counters = new DecisionCounters(range)
  const lowest = range.fromMs === undefined ? "" : idAt(range.fromMs - MARGIN_MS)
  let after = range.toMs === undefined ? undefined : idAt(range.toMs + MARGIN_MS)
  do {
    const page: ReceiptsPage = await reader.ask("list_decision_receipts", { ...(after && { after }) })
    for (const decision of page.decisions ?? []) {
      found.push(decision)
      const statement = statementOf(decision)
      if (statement !== undefined) counters.add(statement)
    }
    after = page.nextAfter
  } while (
    after !== undefined &&
    (after > lowest || counters.runs(stated).some(({ missing }) => missing.length > 0))
  )
  return found
}

async function keptOf(reader: BundleReader, checkpoint: string, { treeSize: newSize }: Tree) {
  const oldSize = checkpoint.split("\n")[1] ?? ""
  const members = { oldSize, newSize }
  const { consistencyProof = [] } = await reader.ask<{ consistencyProof?: string[] }>(
    "get_log_consistency",
    members,
  )
  return { checkpoint, consistencyProof }
}

function statementOf({ statement }: ShownDecision): DecisionStatement | undefined {
  return statement === undefined ? undefined : readDecision(readHex(statement))
}

function isAfter(statement: DecisionStatement | undefined, stated: StatedCount): boolean {
  if (statement === undefined || statement.startIndex < stated.startIndex) return false
  return statement.startIndex > stated.startIndex || statement.counter > stated.decisions
}

function statedIn({ statement }: HeadReply): StatedCount {
  const { logStart, decisions } = fromBinary(HeadStatementSchema, readHex(statement))
  return { startIndex: Number(logStart), decisions: Number(decisions) }
}

/** The lowest UUID of version 7 of a time. */
function idAt(ms: number): string {
  const digits = Math.max(0, Math.floor(ms)).toString(16).padStart(12, "0").slice(-12)
  return `${digits.slice(0, 8)}-${digits.slice(8)}-7000-8000-000000000000`
}
