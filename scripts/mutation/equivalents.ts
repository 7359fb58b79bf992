/** A change of the source that changes no behaviour, with the reason. `original` and `replacement` as in the results. */
export type Equivalent = { file: string; original: string; replacement: string; reason: string }

/** Mutants that no test can notice. Every other survivor is a missing test. */
export const equivalents: readonly Equivalent[] = [
  {
    file: "signer/enclave/execution/steps/locks.ts",
    original: "() => shared.delete(done)",
    replacement: "() => undefined",
    reason: "It frees memory only: a settled task in the set delays nobody.",
  },
]
