import type { Outcome, Reader } from "./reader.ts"

/** An input after which a reader did what it must not, and the error that says it. */
export type Finding = { readonly input: Buffer; readonly error: unknown }

/** Reads one input. @throws what the reader must not throw */
export function outcomeOf<Value>(reader: Reader<Value>, input: Buffer): Outcome<Value> {
  try {
    return { value: reader.read(input) }
  } catch (error) {
    if (error instanceof Error && reader.isRefusal(error)) return { refusal: error }
    throw error
  }
}

/** Reads and judges one input; undefined: as it must be. */
export function faultOf(reader: Reader, input: Buffer): { error: unknown } | undefined {
  try {
    const outcome = outcomeOf(reader, input)
    reader.judge?.(input, outcome)
    return undefined
  } catch (error) {
    return { error }
  }
}

export function isAccepted(outcome: Outcome): boolean {
  return "value" in outcome && outcome.value !== undefined
}

/** Findings of one kind differ in numbers, bytes and quoted texts alone. */
export function kindOf(error: unknown): string {
  const text = error instanceof Error ? `${error.name} ${error.message.split("\n")[0]}` : String(error)
  return text
    .replaceAll(/"[^"]*"?/g, '""')
    .replaceAll(/0x[0-9a-f]+|[0-9a-f]{8,}|\d+/gi, "0")
    .slice(0, 80)
}
