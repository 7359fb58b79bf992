import { createHash } from "node:crypto"
import t from "tap"
import { CompactRange } from "../../../../signer/core/log/compact-range.ts"
import { EMPTY_ROOT, leafHash } from "../../../../signer/core/log/merkle.ts"
import { consistencyParts, hashesOf, inclusionParts } from "../../../../signer/core/log/proofs.ts"
import { isConsistent, isIncluded } from "../../../../signer/core/log/verify-proofs.ts"
import { leavesOf, treeOf } from "./tree.ts"

/** Leaves and roots of the tests of google/certificate-transparency, hexadecimal: root `n` is that of the first `n + 1` leaves. */
const PUBLISHED_LEAVES = [
  "",
  "00",
  "10",
  "2021",
  "3031",
  "40414243",
  "5051525354555657",
  "606162636465666768696a6b6c6d6e6f",
]
const PUBLISHED_ROOTS = [
  "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
  "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
  "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
  "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
  "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
  "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
  "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
  "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]

const SIZES = 70
const leaves = leavesOf(SIZES)
const trees = Array.from({ length: SIZES + 1 }, (_, size) => treeOf(leaves.slice(0, size)))

/** The definition of RFC 6962 section 2.1, word by word. */
function definedRoot(list: readonly Uint8Array[]): Buffer {
  const sha256 = (...parts: Uint8Array[]) => createHash("sha256").update(Buffer.concat(parts)).digest()
  const [first] = list
  if (first === undefined) return sha256()
  if (list.length === 1) return sha256(Buffer.from([0]), first)
  let middle = 1
  while (middle * 2 < list.length) middle *= 2
  return sha256(Buffer.from([1]), definedRoot(list.slice(0, middle)), definedRoot(list.slice(middle)))
}

t.test("roots are the published ones", async (t) => {
  const range = new CompactRange()
  t.strictSame(range.root(), EMPTY_ROOT)
  for (const [index, leaf] of PUBLISHED_LEAVES.entries()) {
    range.append(leafHash(Buffer.from(leaf, "hex")))
    t.equal(Buffer.from(range.root()).toString("hex"), PUBLISHED_ROOTS[index])
  }
})

t.test("roots follow the definition, also of a tree that continues from its subtrees", async (t) => {
  for (const [size, tree] of trees.entries()) {
    t.strictSame(Buffer.from(tree.root), definedRoot(leaves.slice(0, size)))
    const continued = CompactRange.at(size, tree.read)
    t.strictSame(continued.root(), tree.root)
    const next = leaves[size]
    if (next === undefined) continue
    continued.append(leafHash(next))
    t.strictSame(continued.root(), trees[size + 1]?.root)
    t.equal(continued.size, size + 1)
  }
})

t.test("an inclusion proof shows its leaf, and no other place, leaf or tree", async (t) => {
  for (const { size, root, read } of trees)
    for (let index = 0; index < size; index++) {
      const leaf = { index, hash: leafHash(leaves[index]!) }
      const proof = hashesOf(inclusionParts(index, size), read)
      t.ok(isIncluded(leaf, { size, root }, proof), `${index} of ${size}`)
      const others = [
        isIncluded({ ...leaf, index: index + 1 }, { size, root }, proof),
        isIncluded({ ...leaf, index: index - 1 }, { size, root }, proof),
        isIncluded({ ...leaf, hash: leafHash(Buffer.from("other")) }, { size, root }, proof),
        isIncluded(leaf, { size, root: leafHash(root) }, proof),
        isIncluded(leaf, { size, root }, [...proof, root]),
        ...proof.map((_, at) => isIncluded(leaf, { size, root }, proof.toSpliced(at, 1))),
        ...proof.map((hash, at) => isIncluded(leaf, { size, root }, proof.with(at, altered(hash)))),
        ...proof.map((hash, at) => isIncluded(leaf, { size, root }, proof.with(at, hash.subarray(1)))),
      ]
      t.notOk(others.includes(true), `${index} of ${size}`)
    }
})

t.test("a consistency proof shows that a tree continues another, and no other tree", async (t) => {
  for (const { size, root, read } of trees)
    for (let oldSize = 0; oldSize <= size; oldSize++) {
      const old = { size: oldSize, root: trees[oldSize]!.root }
      const proof = hashesOf(consistencyParts(oldSize, size), read)
      t.ok(isConsistent(old, { size, root }, proof), `${oldSize} to ${size}`)
      const others = [
        isConsistent({ ...old, root: altered(old.root) }, { size, root }, proof),
        isConsistent({ ...old, size: size + 1 }, { size, root }, proof),
        isConsistent(old, { size, root }, [...proof, root]),
        oldSize > 0 && isConsistent(old, { size, root: altered(root) }, proof),
        ...proof.map((_, at) => isConsistent(old, { size, root }, proof.toSpliced(at, 1))),
        ...proof.map((hash, at) => isConsistent(old, { size, root }, proof.with(at, altered(hash)))),
        ...proof.map((hash, at) => isConsistent(old, { size, root }, proof.with(at, hash.subarray(1)))),
      ]
      t.notOk(others.includes(true), `${oldSize} to ${size}`)
    }
})

t.test("a tree whose old leaves changed is consistent with the old one by no proof of its own", async (t) => {
  for (let size = 2; size <= SIZES; size++)
    for (let changed = 0; changed < size - 1; changed += 7) {
      const forked = treeOf(leaves.slice(0, size).with(changed, Buffer.from("changed")))
      const old = { size: size - 1, root: trees[size - 1]!.root }
      const proof = hashesOf(consistencyParts(size - 1, size), forked.read)
      t.notOk(isConsistent(old, forked, proof), `${changed} of ${size}`)
    }
})

t.test("proofs are made for leaves and trees that exist", async (t) => {
  t.throws(() => inclusionParts(3, 3), RangeError)
  t.throws(() => inclusionParts(-1, 3), RangeError)
  t.throws(() => consistencyParts(4, 3), RangeError)
  const root = trees[3]!.root
  t.notOk(isIncluded({ index: 2 ** 53, hash: root }, { size: 2 ** 54, root }, []), "beyond exact counts")
  t.notOk(isConsistent({ size: -1, root }, { size: 3, root }, []))
})

t.test("a proof in a tree of 2^52 leaves has one hash for each level", async (t) => {
  const read = ({ level, index }: { level: number; index: number }) =>
    createHash("sha256").update(`${level}/${index}`).digest()
  const size = 2 ** 52 + 1
  t.equal(inclusionParts(5, size).length, 53)
  t.equal(hashesOf(consistencyParts(2 ** 51, size), read).length, 2)
})

function altered(hash: Uint8Array): Uint8Array {
  const copy = Uint8Array.from(hash)
  copy[31] = copy[31]! ^ 1
  return copy
}
