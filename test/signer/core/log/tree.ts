import { CompactRange, type ReadSubtree } from "../../../../signer/core/log/compact-range.ts"
import { leafHash } from "../../../../signer/core/log/merkle.ts"

/** A tree that keeps every hash. */
export type KeptTree = { readonly read: ReadSubtree; readonly size: number; readonly root: Uint8Array }

/** The tree of these leaves, built by the code under test. */
export function treeOf(leaves: readonly Uint8Array[]): KeptTree {
  const kept = new Map<string, Uint8Array>()
  const range = new CompactRange()
  for (const leaf of leaves)
    range.append(leafHash(leaf), (level, index, hash) => kept.set(`${level}/${index}`, hash))
  return {
    size: leaves.length,
    root: range.root(),
    read: ({ level, index }) => {
      const hash = kept.get(`${level}/${index}`)
      if (hash === undefined) throw new Error(`no subtree ${level}/${index}`)
      return hash
    },
  }
}

/** Leaves that differ. */
export function leavesOf(count: number): Uint8Array[] {
  return Array.from({ length: count }, (_, index) => Buffer.from(`leaf ${index}`))
}
