import type { SealedFile } from "../core/sealed-seed/format.ts"
import { REFUSED, StartError } from "../core/settings/start-fault.ts"

/** Whoever can change the settings of a process cannot lead a deployment out of production. @throws {StartError} */
export function requireProductionOf(
  { header }: Pick<SealedFile, "header">,
  { isProduction }: { isProduction: boolean },
): void {
  if (!header.production || isProduction) return
  throw new StartError(
    REFUSED,
    "the sealed seed is of a deployment in production, and COUNTERSIGN_PRODUCTION is not set: set it to true; " +
      "countersign-signer leave-production needs shares, or approvals of holders",
  )
}
