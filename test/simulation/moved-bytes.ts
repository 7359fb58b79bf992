import { type DescMessage, fromBinary, toBinary } from "@bufbuild/protobuf"

type Pick = (below: number) => number
type Members = Record<string, unknown>

/**
 * The message with one byte moved across the border between two neighbouring members of text or bytes. A MAC or signature that covers
 * members without their lengths does not change. Members of nested messages stay as they are.
 */
export function withMovedByte(schema: DescMessage, message: Uint8Array, pick: Pick): Uint8Array {
  const members = fromBinary(schema, message) as unknown as Members
  const names = schema.fields
    .filter(({ fieldKind, name }) => fieldKind === "scalar" && name !== "mac" && name !== "signature")
    .map(({ localName }) => localName)
    .filter((name) => typeof members[name] === "string" || members[name] instanceof Uint8Array)
  const at = pick(Math.max(1, names.length - 1))
  const [first, second] = [names[at], names[at + 1]]
  if (first === undefined || second === undefined) return message
  const [one, other] = [bytesOf(members[first]), bytesOf(members[second])]
  const isForward = pick(2) === 0
  if ((isForward ? one : other).length === 0) return message
  const moved = isForward
    ? [one.subarray(0, -1), Buffer.concat([one.subarray(-1), other])]
    : [Buffer.concat([one, other.subarray(0, 1)]), other.subarray(1)]
  set(members, first, moved[0]!)
  set(members, second, moved[1]!)
  return toBinary(schema, members as never)
}

const bytesOf = (value: unknown): Buffer =>
  typeof value === "string" ? Buffer.from(value) : Buffer.from(value as Uint8Array)

function set(members: Members, name: string, bytes: Buffer): void {
  members[name] = typeof members[name] === "string" ? bytes.toString() : Uint8Array.from(bytes)
}
