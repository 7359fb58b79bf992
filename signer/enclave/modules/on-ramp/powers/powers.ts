// Powers of on-ramps: keys of a provider that open, and purchases there.
import { hash } from "node:crypto"
import { create, toBinary } from "@bufbuild/protobuf"
import {
  type OnRampKeys,
  OnRampPurchaseTaskSchema,
} from "../../../../../proto/gen/countersign/signer/v1/fetcher_pb.ts"
import { onRampKeysDigest } from "../../../../core/fetch-orders/on-ramp-key.ts"
import type { Purchase } from "../../../../core/on-ramp/moonpay.ts"
import type { OnRamp, StartedPurchase } from "../../../activities/powers/fetched.ts"
import { invalid } from "../../../execution/workspace/supplied-statements.ts"
import type { FactKind } from "../../../execution/state/fact-kind.ts"
import type { FetchedFacts } from "../../../execution/workspace/fetched-facts.ts"
import type { Makers } from "../../../execution/workspace/makers.ts"

/** Keys of a provider that open. */
const OPENED_KEYS: FactKind<"onRampKeys", "onRampKeys", true> = {
  task: "onRampKeys",
  finding: "onRampKeys",
  subject: ({ keys }) => digestOf(keys),
  read({ keys }, { keysDigest }) {
    const isAboutThem = digestOf(keys) === Buffer.from(keysDigest).toString("hex")
    if (!isAboutThem) throw invalid("it is about other keys of an on-ramp provider")
    return true
  },
  isStored: false,
}

/** A purchase that the fetcher has started. */
const STARTED_PURCHASE: FactKind<"onRampPurchase", "onRampPurchase", StartedPurchase> = {
  task: "onRampPurchase",
  finding: "onRampPurchase",
  subject: purchaseSubject,
  read: (purchase, started) => ({ purchase, started }),
  isStored: false,
}

export const fetched = [OPENED_KEYS, STARTED_PURCHASE]

export const powers = {
  onRamp: ({ facts }) => onRampOf(facts),
} satisfies Partial<Makers>

function onRampOf(facts: FetchedFacts): OnRamp {
  const { deps, source } = facts
  return {
    requireKeys: (keys) => void facts.require(OPENED_KEYS, digestOf(keys), () => ({ keys })),
    startPurchase: (purchase) =>
      facts.require(STARTED_PURCHASE, purchaseSubject(purchase), () => ({
        ...purchase,
        transactionId: deps.ids.next(source.nowMs),
      })),
  }
}

/** A purchase without its id, which each order makes anew. */
function purchaseSubject(purchase: Purchase): string {
  const task = create(OnRampPurchaseTaskSchema, { ...purchase, transactionId: "" })
  return hash("sha256", toBinary(OnRampPurchaseTaskSchema, task), "hex")
}

/** Digest of sealed keys; "" if a task has none, which no order of this signer is. */
function digestOf(keys: OnRampKeys | undefined): string {
  return keys === undefined ? "" : Buffer.from(onRampKeysDigest(keys)).toString("hex")
}
