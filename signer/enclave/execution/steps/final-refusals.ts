import { getOption } from "@bufbuild/protobuf"
import type { RefusalName } from "../../../core/refusal.ts"
import { RefusalCodeSchema, refusal } from "../../../../proto/gen/countersign/signer/v1/refusal_pb.ts"

/** The codes declared `final` in refusal.proto: they end an activity that waited for votes. */
export const FINAL: ReadonlySet<RefusalName> = new Set(
  RefusalCodeSchema.values
    .filter((value) => getOption(value, refusal).final)
    .map(({ localName }) => localName as RefusalName),
)
