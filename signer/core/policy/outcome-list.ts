import { createHash } from "node:crypto"
import { type Outcome, OutcomeSchema } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"

// Outcomes of an organization's policies in few bytes. The ids of policies stay the same until a policy changes, so outcomes
// refer to the digest of the list of ids.

const DIGEST_BYTES = 16

/** Digest of a list of policies: the first 16 bytes of the SHA-256 of their ids, each followed by a line feed. */
export function policyListDigest(policyIds: readonly string[]): Buffer {
  const hash = createHash("sha256")
  for (const id of policyIds) hash.update(`${id}\n`)
  return hash.digest().subarray(0, DIGEST_BYTES)
}

/** Form of the bytes that follow. Runs: outcome(1) || count(LEB128), repeated. Halves: two outcomes in a byte, the first one low. */
const RUNS = 0
const HALVES = 1
/** Fills the last half byte: no outcome has this number. */
const NONE = 15

/** The outcomes of a list, form(1) || bytes, whichever form is shorter. @throws {RangeError} an outcome of a later release */
export function packOutcomes(outcomes: readonly Outcome[]): Buffer {
  if (outcomes.some((outcome) => outcome >= NONE))
    throw new RangeError("an outcome takes more than half a byte")
  const halves = Math.ceil(outcomes.length / 2)
  const runs = runsOf(outcomes, halves)
  if (runs !== undefined) return Buffer.from([RUNS, ...runs])
  const bytes = Buffer.alloc(1 + halves)
  bytes[0] = HALVES
  for (let at = 0; at < halves; at++)
    bytes[1 + at] = (outcomes[2 * at] ?? NONE) | ((outcomes[2 * at + 1] ?? NONE) << 4)
  return bytes
}

/** The outcomes as runs; undefined if they take more than `most` bytes. */
function runsOf(outcomes: readonly Outcome[], most: number): number[] | undefined {
  const runs: number[] = []
  for (let at = 0; at < outcomes.length; ) {
    const outcome = outcomes[at]!
    let end = at + 1
    while (outcomes[end] === outcome) end += 1
    runs.push(outcome)
    let count = end - at
    for (; count > 127; count >>>= 7) runs.push((count & 127) | 128)
    runs.push(count)
    if (runs.length > most) return undefined
    at = end
  }
  return runs
}

/** The outcomes of packed bytes. @throws {RangeError} bytes of no such form, or not of so many policies */
export function unpackOutcomes(packed: Uint8Array, count: number): Outcome[] {
  const [form, ...bytes] = packed
  const numbers = form === RUNS ? readRuns(bytes, count) : form === HALVES ? readHalves(bytes) : []
  const outcomes = numbers.filter(isOutcome)
  if (numbers.length !== count || outcomes.length !== count)
    throw new RangeError(`packed outcomes that are not those of ${count} policies`)
  return outcomes
}

function isOutcome(number: number): number is Outcome {
  return OutcomeSchema.values.some((value) => value.number === number)
}

function readRuns(bytes: readonly number[], most: number): number[] {
  const outcomes: number[] = []
  for (let at = 0; at < bytes.length; ) {
    const outcome = bytes[at++] ?? NONE
    let count = 0
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++] ?? 0
      count += (byte & 127) * 2 ** shift
      if (byte < 128) break
    }
    if (outcomes.length + count > most) return []
    for (let run = 0; run < count; run++) outcomes.push(outcome)
  }
  return outcomes
}

function readHalves(bytes: readonly number[]): number[] {
  const outcomes = bytes.flatMap((byte) => [byte & 15, byte >> 4])
  return outcomes.at(-1) === NONE ? outcomes.slice(0, -1) : outcomes
}
