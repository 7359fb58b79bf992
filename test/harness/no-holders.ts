// A gate of acts for a signer without holders.
import { ActGate } from "../../signer/core/holder-acts/act-gate.ts"

export const noHolders = new ActGate({
  holders: undefined,
  free: [],
  holdersOfFile: () => undefined,
  wallMs: () => 0,
  monotonicMs: () => 0,
  random: (length) => new Uint8Array(length),
})
