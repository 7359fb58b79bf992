import t from "tap"
import type { VerifiedIndex } from "../../../signer/enclave/ledger/ledger.ts"
import { verifyIndexSlowly } from "../../../signer/enclave/verify-index.ts"

const FOUND: VerifiedIndex = { verified: 3, damaged: 1, isWhole: true }

/** An index of so many steps of a millisecond each. `passed`: the steps that were made. */
function indexOf(steps: number) {
  const index = {
    passed: 0,
    *verifyIndex() {
      for (; index.passed < steps; index.passed++) {
        const endMs = performance.now() + 1
        while (performance.now() < endMs);
        yield
      }
      return FOUND
    },
  }
  return index
}

t.test("the index is verified to its end, and orders come between its slices", async (t) => {
  const index = indexOf(5)
  let turns = 0
  const orders = setInterval(() => (turns += 1), 0)
  t.strictSame(await verifyIndexSlowly(index, new AbortController().signal), FOUND)
  clearInterval(orders)
  t.equal(index.passed, 5)
  t.ok(turns >= 4)
})

t.test("a signer that stops verifies no further", async (t) => {
  const index = indexOf(1_000_000)
  const stopping = new AbortController()
  setTimeout(() => stopping.abort(), 5)
  t.equal(await verifyIndexSlowly(index, stopping.signal), undefined)
  t.ok(index.passed < 1_000_000)
})

t.test("a fault is the caller's", async (t) => {
  const fault = new Error("the disk is gone")
  const broken = {
    *verifyIndex(): Generator<void, VerifiedIndex> {
      yield
      throw fault
    },
  }
  await t.rejects(verifyIndexSlowly(broken, new AbortController().signal), fault)
})
