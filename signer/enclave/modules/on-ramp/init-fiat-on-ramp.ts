import { create, toBinary } from "@bufbuild/protobuf"
import {
  FiatOnRampCurrency,
  FiatOnRampPaymentMethod,
  FiatOnRampProvider,
} from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import {
  OnRampTransactionRecordSchema,
  RecordKind,
} from "../../../../proto/gen/countersign/state/v1/record_pb.ts"
import { coinbaseUrl, isSessionToken } from "../../../core/on-ramp/coinbase.ts"
import { moonPayUrl, widgetQuery } from "../../../core/on-ramp/moonpay.ts"
import { requirePurchase } from "../../../core/on-ramp/purchase.ts"
import { refuse } from "../../../core/refusal.ts"
import { requireOnRampKeys } from "./on-ramp-credentials.ts"
import type { Activity } from "../../activities/activity.ts"
import type { StartedPurchase } from "../../activities/powers/fetched.ts"

const needs = ["onRamp", "settings"] as const

/** A purchase is recorded, so that its status is asked for later. The provider's page takes the buyer's money. */
export const initFiatOnRamp: Activity<"initFiatOnRamp", typeof needs> = {
  needs,
  check: requirePurchase,
  run({ onrampProvider: provider, sandboxMode: sandbox = false, ...parameters }, context) {
    const { urlForSignature = "", fiatCurrencyAmount: fiatAmount = "" } = parameters
    const keys = requireOnRampKeys(context.settings.governing, provider, sandbox)
    const purchase = {
      keys,
      transactionId: "",
      walletAddress: parameters.walletAddress,
      network: parameters.network,
      cryptoCurrency: parameters.cryptoCurrencyCode,
      fiatCurrency: parameters.fiatCurrencyCode ?? FiatOnRampCurrency.UNSPECIFIED,
      fiatAmount,
      paymentMethod: parameters.paymentMethod ?? FiatOnRampPaymentMethod.UNSPECIFIED,
      urlForSignature,
    }
    if (urlForSignature !== "") widgetQuery(urlForSignature, purchase)
    const started = context.onRamp.startPurchase(purchase)
    const { transactionId: onRampTransactionId } = started.purchase
    const record = { provider, sandbox, createdAtMs: BigInt(context.nowMs) }
    const payload = toBinary(OnRampTransactionRecordSchema, create(OnRampTransactionRecordSchema, record))
    context.changes.addRecord({ kind: RecordKind.ON_RAMP_TRANSACTION, id: onRampTransactionId, payload })
    return { onRampTransactionId, ...addressesOf(provider, started) }
  },
}

const SIGNATURE_LENGTH = 32

/** @throws STATEMENT_INVALID for a finding that is none of the provider's */
function addressesOf(provider: FiatOnRampProvider, { purchase, started }: StartedPurchase) {
  const { urlSignature, widgetSignature, sessionToken } = started
  if (provider === FiatOnRampProvider.COINBASE) {
    if (isSessionToken(sessionToken)) return { onRampUrl: coinbaseUrl(purchase, sessionToken) }
  } else if (urlSignature.length === SIGNATURE_LENGTH) {
    const onRampUrl = moonPayUrl(purchase, urlSignature)
    if (purchase.urlForSignature === "") return { onRampUrl }
    const onRampUrlSignature = Buffer.from(widgetSignature).toString("base64")
    if (widgetSignature.length === SIGNATURE_LENGTH) return { onRampUrl, onRampUrlSignature }
  }
  throw refuse("STATEMENT_INVALID", "a statement of the fetcher cannot be accepted: it starts no purchase")
}
