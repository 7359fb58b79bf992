import type { DescEnum } from "@bufbuild/protobuf"

/** The name of an enum value without its prefix, such as `USDC`; "" for the unspecified and unknown ones. */
export function enumName(schema: DescEnum, value: number): string {
  return value === 0 ? "" : (schema.value[value]?.localName ?? "")
}
