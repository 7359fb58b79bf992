import t from "tap"
import { activityTypes } from "../../../../proto/catalog.ts"
import { PayloadEncoding, TransactionType } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { NO_INTERFACES } from "../../../../signer/core/contract-interface/interfaces.ts"
import { rootsOf } from "../../../../signer/core/policy/facts/declared.ts"
import { factsOf } from "../../../../signer/core/policy/facts/index.ts"
import { namespaces } from "../../../../signer/core/policy/namespaces/index.ts"
import { sendFactsOf } from "../../../../signer/core/send/facts.ts"
import { READING, rootsByHand } from "../../../harness/activity-roots.ts"

const ROOTS = Object.keys(namespaces.condition.roots).filter(
  (root) => !["activity", "controls"].includes(root),
)

/** Members by which facts were once chosen, with values that no reader of facts accepts. */
const MISLEADING = [
  TransactionType.ETHEREUM,
  TransactionType.SOLANA,
  TransactionType.TRON,
  TransactionType.BITCOIN,
].flatMap((type) =>
  [PayloadEncoding.EIP712, PayloadEncoding.EIP7702_AUTHORIZATION].map((encoding) => ({
    type,
    encoding,
    unsignedTransaction: "00",
    signedTransaction: "00",
    payload: "{",
    payloads: ["{"],
    signWith: "x",
    signWiths: ["x"],
    from: "x",
    address: "x",
    walletId: "x",
    walletIds: ["x"],
    privateKeyId: "x",
    secrets: [{ secretId: "x" }],
  })),
)

function unreadable(): never {
  throw new Error("read")
}

const planner = { ethereum: unreadable, solana: unreadable, raw: unreadable }

t.test("every activity type declares the roots that the document gives it, and no other", async (t) => {
  t.strictSame(ROOTS.toSorted(), Object.keys(READING).toSorted(), "the tests read every root")
  for (const activity of activityTypes.values()) {
    const declared = [...rootsOf(activity)].filter((root) => root !== "activity")
    t.strictSame(declared.toSorted(), rootsByHand(activity.type).toSorted(), activity.type)
    t.equal(rootsOf(activity).has("activity"), activity.kind !== "")
  }
})

t.test(
  "a root that an activity does not declare is absent and refuses nothing, whatever its members",
  async (t) => {
    let read = 0
    for (const activity of activityTypes.values()) {
      const others = ROOTS.filter((root) => !rootsByHand(activity.type).includes(root))
      for (const parameters of MISLEADING) {
        const send = sendFactsOf(activity, planner)
        const input = { activity, parameters, holdings: unreadable, interfaces: NO_INTERFACES }
        const items = factsOf({ ...input, ...(send !== undefined && { send }) }, others)
        t.equal(items.length, 1, `${activity.type}: one item`)
        for (const root of others) if (items[0]!(root) !== undefined) t.fail(`${activity.type} has ${root}`)
        read += others.length
      }
    }
    t.ok(read > 10_000, "types, members and roots are tried together")
  },
)
