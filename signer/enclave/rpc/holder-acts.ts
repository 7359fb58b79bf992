import { ApiKeyCurve } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import type {
  AcceptLedgerRequest,
  CreateSetupCodeRequest,
  PrepareActRequest,
} from "../../../proto/gen/countersign/signer/v1/operator_pb.ts"
import { counted } from "../../core/counted.ts"
import type { HolderAct } from "../../core/holder-acts/acts.ts"
import { refuse } from "../../core/refusal.ts"
import { requirePublicKey } from "../../core/stamp/keys.ts"
import type { SignerContext } from "./context.ts"

/** Makes the text of an act, for holders to approve. */
export async function prepareAct({ act, expirationSeconds }: PrepareActRequest, context: SignerContext) {
  const { acts } = context
  switch (act.case) {
    case "acceptClock":
      return { text: acts.prepare(actOfClock(), expirationSeconds) }
    case "acceptLedger": {
      const noted = [["Found", foundIn(context)]] as const
      return { text: acts.prepare({ ...actOfLedger(act.value), noted }, expirationSeconds) }
    }
    case "setupCode":
      return { text: acts.prepare(actOfSetupCode(act.value), expirationSeconds) }
    case undefined:
      throw refuse("REQUEST_INVALID", "act is missing: name the act that holders are to approve")
    default:
      return act satisfies never
  }
}

export const actOfClock = (): HolderAct => ({ name: "accept-clock", parameters: [] })

export function actOfLedger({ restored }: Pick<AcceptLedgerRequest, "restored">): HolderAct {
  return { name: "accept-ledger", parameters: [["Restored", restored ? "yes" : "no"]] }
}

/** @throws PUBLIC_KEY_INVALID */
export function actOfSetupCode({ publicKey, expirationSeconds }: CreateSetupCodeRequest): HolderAct {
  const key = requirePublicKey(ApiKeyCurve.P256, publicKey, "publicKey")
  const seconds = expirationSeconds || DEFAULT_EXPIRATION_SECONDS
  return {
    name: "setup-code",
    parameters: [
      ["Key", key],
      ["Valid for", counted(seconds, "second")],
    ],
  }
}

/** Validity of a setup code when the request names none, seconds. */
export const DEFAULT_EXPIRATION_SECONDS = 24 * 60 * 60

/** Why the ledger is in doubt, for the text. */
function foundIn(context: SignerContext): string {
  const phase = context.phase()
  const detail = phase.name === "ledger-older" ? phase.detail : "nothing newer was shown yet"
  return detail.replaceAll(/[^\x20-\x7e]/g, "?")
}
