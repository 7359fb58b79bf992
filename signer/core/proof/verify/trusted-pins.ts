import { createHash } from "node:crypto"
import { create, toBinary } from "@bufbuild/protobuf"
import { type Pins, PinsSchema } from "../../../../proto/gen/countersign/state/v1/setup_pb.ts"

/** Pins of a trusted deployment, today's or former ones. */
export type TrustedPins = {
  pins: Pins
  /** Name of the pins in reports. */
  name: string
  /** Unix milliseconds; former pins serve no proof that is younger. Undefined: they serve any. */
  validUntilMs: number | undefined
}

/** The pins with this digest, else the first: their comparison names the difference. Undefined: there are none. */
export function choosePins(trusted: readonly TrustedPins[], digest: string): TrustedPins | undefined {
  return trusted.find(({ pins }) => pinsDigest(pins) === digest) ?? trusted[0]
}

/** Serialized as in docs/formats/pins.md: fields in the order of their numbers. Lower-case hexadecimal. */
export function pinsDigest(pins: Pins): string {
  const { $typeName: _name, $unknown: _unknown, ...known } = pins
  return createHash("sha256")
    .update(toBinary(PinsSchema, create(PinsSchema, known)))
    .digest("hex")
}
