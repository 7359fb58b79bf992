import { type Reader, requireTrue } from "../engine/reader.ts"
import type { TreeFormat } from "../engine/tree.ts"
import { isNoError } from "./refusals.ts"

/** A reader that answers `undefined` to what it refuses, with the writer of its format: only what is written is read. */
export type RoundTrip<Value> = {
  read: (input: Buffer) => Value | undefined
  write: (value: Value) => Uint8Array | string
  seeds: () => Iterable<Uint8Array | string>
  maxLength?: number
  format?: TreeFormat
  isRefusal?: (error: unknown) => boolean
}

export function roundTrip<Value>({
  write,
  isRefusal = isNoError,
  ...rest
}: RoundTrip<Value>): Reader<Value | undefined> {
  return {
    ...rest,
    isRefusal,
    judge(input, outcome) {
      if ("refusal" in outcome || outcome.value === undefined) return
      const written = write(outcome.value)
      // Readers of text see a mark in the place of bytes that are no UTF-8.
      const isSame = Buffer.from(written).equals(input) || written === input.toString()
      requireTrue(isSame, "another spelling is read")
    },
  }
}

/** The first byte selects one of several readers. */
export function oneOf(readers: readonly Reader[]): Reader {
  const chosen = (input: Buffer): Reader => {
    const reader = readers[(input[0] ?? 0) % readers.length]
    if (reader === undefined) throw new RangeError("there is no reader")
    return reader
  }
  return {
    *seeds() {
      for (const [index, reader] of readers.entries())
        for (const seed of reader.seeds?.() ?? []) yield Buffer.concat([Buffer.of(index), Buffer.from(seed)])
    },
    read: (input) => chosen(input).read(input.subarray(1)),
    isRefusal: (error) => readers.some((reader) => reader.isRefusal(error)),
    judge: (input, outcome) => chosen(input).judge?.(input.subarray(1), outcome),
  }
}
