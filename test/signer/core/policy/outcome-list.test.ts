import fc from "fast-check"
import t from "tap"
import { Outcome, OutcomeSchema } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import {
  packOutcomes,
  policyListDigest,
  unpackOutcomes,
} from "../../../../signer/core/policy/outcome-list.ts"
import { runsOf } from "../../../harness/long.ts"

const ALL = OutcomeSchema.values.map(({ number }) => number as Outcome)

t.test("packed outcomes are unpacked as they were, and take at most half a byte each", (t) => {
  const runs = fc
    .array(fc.tuple(fc.constantFrom(...ALL), fc.oneof(fc.nat(3), fc.nat(400))), { maxLength: 40 })
    .map((parts) => parts.flatMap(([outcome, count]) => Array.from({ length: count }, () => outcome)))
  fc.assert(
    fc.property(fc.oneof(runs, fc.array(fc.constantFrom(...ALL), { maxLength: 300 })), (outcomes) => {
      const packed = packOutcomes(outcomes)
      t.same(unpackOutcomes(packed, outcomes.length), outcomes)
      return packed.length <= 1 + Math.ceil(outcomes.length / 2)
    }),
  )
  t.end()
})

t.test("a thousand equal outcomes take four bytes", async (t) => {
  const outcomes = Array.from({ length: 1000 }, () => Outcome.DENY_IMPLICIT)
  t.equal(packOutcomes(outcomes).length, 4)
})

t.test(
  "bytes that are not outcomes of so many policies are refused, and none is expanded beyond them",
  (t) => {
    const good = packOutcomes([Outcome.ALLOW, Outcome.ERROR, Outcome.ERROR])
    for (const count of [0, 2, 4]) t.throws(() => unpackOutcomes(good, count), RangeError)
    for (const odd of ["", "02", "00ff7f", "0001ffffffffffffff7f", "01ff", "01"])
      t.throws(() => unpackOutcomes(Buffer.from(odd, "hex"), 3), RangeError, odd)
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), fc.nat(50), (bytes, count) => {
        try {
          return unpackOutcomes(bytes, count).length === count
        } catch (error) {
          return error instanceof RangeError
        }
      }),
      { numRuns: runsOf(2000) },
    )
    t.end()
  },
)

t.test("the name of a list depends on all ids and on their order", async (t) => {
  const ids = ["a", "b", "c"]
  t.equal(policyListDigest(ids).length, 16)
  const names = [ids, ["b", "a", "c"], ["a", "b"], ["ab", "c"], []].map((list) =>
    policyListDigest(list).toString("hex"),
  )
  t.equal(new Set(names).size, names.length)
  t.same(policyListDigest(ids), policyListDigest([...ids]))
})
