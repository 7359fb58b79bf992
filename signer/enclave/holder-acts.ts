import type { RandomBytes } from "../core/crypto/secret.ts"
import { ActGate } from "../core/holder-acts/act-gate.ts"
import type { SealedFile } from "../core/sealed-seed/format.ts"
import { holdersOf } from "../core/sealed-seed/holders.ts"
import { readSealedFile } from "../process/root-seed.ts"
import type { SignerConfig } from "./config.ts"
import type { Clock } from "./ledger/trusted-clock.ts"

/** The gate of acts for the holders of a sealed seed. `sealed`: the file that gave the seed; undefined: it lies in a plain one. */
export function holderActs(
  sealed: SealedFile | undefined,
  { seedFile }: Pick<SignerConfig, "seedFile">,
  { clock, random }: { clock: Clock; random: RandomBytes },
): ActGate {
  return new ActGate({
    holders: sealed === undefined ? undefined : holdersOf(sealed.header),
    free: sealed?.header.setupCodesNeedApproval === true ? [] : ["setup-code"],
    holdersOfFile: () => {
      const stored = readSealedFile(seedFile)
      return stored === undefined ? undefined : holdersOf(stored.header)
    },
    wallMs: () => clock.wallMs(),
    monotonicMs: () => clock.monotonicMs(),
    random,
  })
}
