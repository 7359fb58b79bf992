import { randomBytes } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import { readDecision, type DecisionStatement } from "../../signer/core/log/leaf.ts"
import { LOG_BUNDLE } from "../../signer/core/log/verify/bundle.ts"
import { DecisionCounters, type StatedCount } from "../../signer/core/log/verify/counters.ts"
import type { ShownDecision, ShownLeaf } from "../../signer/core/log/verify/decisions.ts"
import { fromBinary } from "@bufbuild/protobuf"
import { HeadStatementSchema } from "../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { type Querying, query } from "./api-client.ts"

type HeadMembers = { checkpoint: string; logKeyStatement: string; logKeySignature: string }
type HeadReply = HeadMembers & { statement: string; signature: string }
type ProofsReply = HeadMembers & { treeSize: string; leaves?: ShownLeaf[] }
type ReceiptsPage = { decisions?: ShownDecision[]; nextAfter?: string }

/** Leaves of one query. */
const LEAVES = 100
/** A decision is in a checkpoint a second after it, and in one that witnesses cosigned some seconds after it. */
const ATTEMPTS = 60
const PAUSE_MS = 500
/** Ids may be made a little before the decision that they are of, or after. */
const MARGIN_MS = 60_000

/** An audit to make. Times are Unix milliseconds. */
export type AuditOf = {
  fromMs: number | undefined
  toMs: number | undefined
  /** Notes of checkpoints that the caller kept. */
  kept: readonly string[]
}

/** The bundle of one activity, line by line. */
export async function activityBundle(querying: Querying, activityId: string): Promise<string[]> {
  const nonce = randomBytes(16).toString("hex")
  const head = await query<HeadReply>(querying, "get_organization_head", { nonce })
  const { activity } = await query<{ activity: object }>(querying, "get_activity", { activityId })
  const { appProofs } = await query<{ appProofs?: object[] }>(querying, "list_app_proofs", { activityId })
  const { decisions = [] } = await query<ReceiptsPage>(querying, "list_decision_receipts", { activityId })
  const present = ofTheLog(decisions, originOf(head.checkpoint))
  const tree = await treeWith(querying, present)
  const header = { activityId, ...headerOf(querying, tree, { head, nonce }) }
  const shown = { ...activity, ...((appProofs ?? []).length > 0 && { appProofs }) }
  return withEnd([header, { activity: shown }, ...(await withLeaves(querying, decisions, tree))])
}

/** The bundle of all decisions of an organization between two times. */
export async function auditBundle(querying: Querying, { fromMs, toMs, kept }: AuditOf): Promise<string[]> {
  const nonce = randomBytes(16).toString("hex")
  const head = await query<HeadReply>(querying, "get_organization_head", { nonce })
  const stated = statedIn(head)
  const found = await receipts(querying, { fromMs, toMs }, toMs === undefined ? stated : undefined)
  // Decisions since the statement are not of this audit: no head counts them.
  const decisions = found.filter((decision) => !isAfter(statementOf(decision), stated))
  const tree = await treeWith(querying, ofTheLog(decisions, originOf(head.checkpoint)))
  const header = {
    ...(fromMs !== undefined && { fromMs: String(fromMs) }),
    ...(toMs !== undefined && { toMs: String(toMs) }),
    ...headerOf(querying, tree, { head, nonce }),
    kept: await Promise.all(kept.map((note) => keptOf(querying, note, tree))),
  }
  const starts = new Set(
    decisions.map((one) => statementOf(one)?.startIndex).filter((at) => at !== undefined),
  )
  const around = [...starts].flatMap((at) => (at === 0 ? [0] : [at - 1, at]))
  const leaves = await leavesOf(querying, around, tree)
  return withEnd([header, ...leaves.values(), ...(await withLeaves(querying, decisions, tree))])
}

type Tree = HeadMembers & { treeSize: string }

function headerOf(
  { organizationId }: Querying,
  { checkpoint, logKeyStatement, logKeySignature }: Tree,
  { head: { statement, signature }, nonce }: { head: HeadReply; nonce: string },
) {
  const head = { nonce, statement, signature }
  return { format: LOG_BUNDLE, organizationId, checkpoint, logKeyStatement, logKeySignature, head }
}

/** The latest tree once it has the last of these decisions. */
async function treeWith(querying: Querying, decisions: readonly ShownDecision[]): Promise<Tree> {
  const last = Math.max(0, ...decisions.map(({ leafIndex }) => Number(leafIndex ?? 0)))
  for (let attempt = 1; ; attempt++) {
    const leafIndexes = [String(last)]
    const { leaves = [], ...tree } = await query<ProofsReply>(querying, "get_log_proofs", { leafIndexes })
    if (leaves.length > 0 || attempt === ATTEMPTS) return tree
    await sleep(PAUSE_MS)
  }
}

async function withLeaves(
  querying: Querying,
  decisions: readonly ShownDecision[],
  tree: Tree,
): Promise<object[]> {
  const own = ofTheLog(decisions, originOf(tree.checkpoint))
  const leaves = await leavesOf(
    querying,
    own.map(({ leafIndex }) => Number(leafIndex)),
    tree,
  )
  return decisions.map((decision) => ({ decision, ...leaves.get(decision.leafIndex ?? "") }))
}

async function leavesOf(
  querying: Querying,
  indexes: readonly number[],
  { treeSize }: Tree,
): Promise<Map<string, ShownLeaf>> {
  const sorted = indexes.filter((index) => index < Number(treeSize)).toSorted((one, other) => one - other)
  const found = new Map<string, ShownLeaf>()
  for (let at = 0; at < sorted.length; at += LEAVES) {
    const leafIndexes = sorted.slice(at, at + LEAVES).map(String)
    const { leaves = [] } = await query<ProofsReply>(querying, "get_log_proofs", { leafIndexes, treeSize })
    for (const leaf of leaves) found.set(leaf.leafIndex, leaf)
  }
  return found
}

/** Receipts, newest first, back to the beginning of the range, and further as long as numbers of it are missing. */
async function receipts(
  querying: Querying,
  range: { fromMs: number | undefined; toMs: number | undefined },
  stated: StatedCount | undefined,
): Promise<ShownDecision[]> {
  const found: ShownDecision[] = []
  const counters = new DecisionCounters(range)
  const lowest = range.fromMs === undefined ? "" : idAt(range.fromMs - MARGIN_MS)
  let after = range.toMs === undefined ? undefined : idAt(range.toMs + MARGIN_MS)
  do {
    const page: ReceiptsPage = await query(querying, "list_decision_receipts", { ...(after && { after }) })
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

async function keptOf(querying: Querying, checkpoint: string, { treeSize: newSize }: Tree) {
  const oldSize = checkpoint.split("\n")[1] ?? ""
  const members = { oldSize, newSize }
  const { consistencyProof = [] } = await query<{ consistencyProof?: string[] }>(
    querying,
    "get_log_consistency",
    members,
  )
  return { checkpoint, consistencyProof }
}

function ofTheLog(decisions: readonly ShownDecision[], origin: string): ShownDecision[] {
  return decisions.filter(({ logOrigin }) => logOrigin === origin)
}

function statementOf({ statement }: ShownDecision): DecisionStatement | undefined {
  return statement === undefined ? undefined : readDecision(Buffer.from(statement, "hex"))
}

function isAfter(statement: DecisionStatement | undefined, stated: StatedCount): boolean {
  if (statement === undefined || statement.startIndex < stated.startIndex) return false
  return statement.startIndex > stated.startIndex || statement.counter > stated.decisions
}

function statedIn({ statement }: HeadReply): StatedCount {
  const { logStart, decisions } = fromBinary(HeadStatementSchema, Buffer.from(statement, "hex"))
  return { startIndex: Number(logStart), decisions: Number(decisions) }
}

function originOf(checkpoint: string): string {
  return checkpoint.slice(0, checkpoint.indexOf("\n"))
}

/** The lowest UUID of version 7 of a time. */
function idAt(ms: number): string {
  const digits = Math.max(0, Math.floor(ms)).toString(16).padStart(12, "0").slice(-12)
  return `${digits.slice(0, 8)}-${digits.slice(8)}-7000-8000-000000000000`
}

function withEnd(lines: readonly object[]): string[] {
  const all = lines.map((line) => JSON.stringify(line))
  return [...all, JSON.stringify({ end: { lines: all.length + 1 } })]
}
