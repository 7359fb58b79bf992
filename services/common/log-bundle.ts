// Collects the bundle of an activity's decisions: the command line and the dashboard ask their API alike (docs/formats/log-bundle.md).
import { LOG_BUNDLE } from "../../signer/core/log/verify/bundle.ts"
import type { ShownDecision, ShownLeaf } from "../../signer/core/log/verify/decisions.ts"

type HeadMembers = { checkpoint: string; logKeyStatement: string; logKeySignature: string }
export type HeadReply = HeadMembers & { statement: string; signature: string }
type ProofsReply = HeadMembers & { treeSize: string; leaves?: ShownLeaf[] }
export type ReceiptsPage = { decisions?: ShownDecision[]; nextAfter?: string }

/** The API of one organization, as one of its users queries it. */
export type BundleReader = {
  readonly organizationId: string
  /** 16 random bytes, hexadecimal, which the head statement repeats. */
  readonly nonce: string
  ask<Reply>(query: string, members: object): Promise<Reply>
  /** How often the latest tree is asked for, until it has the last decision. */
  readonly attempts: number
  pause(ms: number): Promise<void>
}

/** Leaves of one query. */
const LEAVES = 100
const PAUSE_MS = 500

/** The bundle of one activity, line by line. */
export async function activityBundle(reader: BundleReader, activityId: string): Promise<string[]> {
  const head = await reader.ask<HeadReply>("get_organization_head", { nonce: reader.nonce })
  const { activity } = await reader.ask<{ activity: object }>("get_activity", { activityId })
  const { appProofs } = await reader.ask<{ appProofs?: object[] }>("list_app_proofs", { activityId })
  const { decisions = [] } = await reader.ask<ReceiptsPage>("list_decision_receipts", { activityId })
  const tree = await treeWith(reader, ofTheLog(decisions, originOf(head.checkpoint)))
  const header = { activityId, ...headerOf(reader, tree, head) }
  const shown = { ...activity, ...((appProofs ?? []).length > 0 && { appProofs }) }
  return withEnd([header, { activity: shown }, ...(await withLeaves(reader, decisions, tree))])
}

export type Tree = HeadMembers & { treeSize: string }

export function headerOf(
  { organizationId, nonce }: BundleReader,
  { checkpoint, logKeyStatement, logKeySignature }: Tree,
  { statement, signature }: HeadReply,
) {
  const head = { nonce, statement, signature }
  return { format: LOG_BUNDLE, organizationId, checkpoint, logKeyStatement, logKeySignature, head }
}

/** The latest tree once it has the last of these decisions. */
export async function treeWith(reader: BundleReader, decisions: readonly ShownDecision[]): Promise<Tree> {
  const last = Math.max(0, ...decisions.map(({ leafIndex }) => Number(leafIndex ?? 0)))
  for (let attempt = 1; ; attempt++) {
    const { leaves = [], ...tree } = await reader.ask<ProofsReply>("get_log_proofs", {
      leafIndexes: [String(last)],
    })
    if (leaves.length > 0 || attempt >= reader.attempts) return tree
    await reader.pause(PAUSE_MS)
  }
}

export async function withLeaves(
  reader: BundleReader,
  decisions: readonly ShownDecision[],
  tree: Tree,
): Promise<object[]> {
  const own = ofTheLog(decisions, originOf(tree.checkpoint))
  const indexes = own.map(({ leafIndex }) => Number(leafIndex))
  const leaves = await leavesOf(reader, indexes, tree)
  return decisions.map((decision) => ({ decision, ...leaves.get(decision.leafIndex ?? "") }))
}

export async function leavesOf(
  reader: BundleReader,
  indexes: readonly number[],
  { treeSize }: Tree,
): Promise<Map<string, ShownLeaf>> {
  const sorted = indexes.filter((index) => index < Number(treeSize)).toSorted((one, other) => one - other)
  const found = new Map<string, ShownLeaf>()
  for (let at = 0; at < sorted.length; at += LEAVES) {
    const leafIndexes = sorted.slice(at, at + LEAVES).map(String)
    const { leaves = [] } = await reader.ask<ProofsReply>("get_log_proofs", { leafIndexes, treeSize })
    for (const leaf of leaves) found.set(leaf.leafIndex, leaf)
  }
  return found
}

export function ofTheLog(decisions: readonly ShownDecision[], origin: string): ShownDecision[] {
  return decisions.filter(({ logOrigin }) => logOrigin === origin)
}

export function originOf(checkpoint: string): string {
  return checkpoint.slice(0, checkpoint.indexOf("\n"))
}

export function withEnd(lines: readonly object[]): string[] {
  const all = lines.map((line) => JSON.stringify(line))
  return [...all, JSON.stringify({ end: { lines: all.length + 1 } })]
}
