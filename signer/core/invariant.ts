/**
 * An invariant of this program does not hold. Its code or its state is wrong, so that no later answer can be trusted: it ends the
 * process. No input causes it; what can be wrong in input is a fault or a refusal.
 */
export class BrokenInvariant extends Error {
  override name = "BrokenInvariant"
}

/** @throws BrokenInvariant unless the invariant holds */
export function requireInvariant(holds: boolean, sentence: string): asserts holds {
  if (!holds) throw new BrokenInvariant(sentence)
}
