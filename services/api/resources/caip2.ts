import { AddressFormat } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"

/** Registered CAIP-2 namespaces, for address formats of one namespace only. */
const families: readonly (readonly [RegExp, string])[] = [
  [/^ETHEREUM$/, "eip155"],
  [/^SOLANA$/, "solana"],
  [/^(?:BITCOIN|DOGE)_/, "bip122"],
  [/^(?:COSMOS|SEI)$/, "cosmos"],
  [/^XLM$/, "stellar"],
  [/^APTOS$/, "aptos"],
]

const namespaces: ReadonlyMap<AddressFormat, string> = new Map(
  Object.entries(AddressFormat).flatMap(([name, format]) =>
    families.filter(([names]) => names.test(name)).map(([, namespace]) => [format, namespace] as const),
  ),
)

/** CAIP-2 namespace of an address format; undefined if it has none, or several. */
export function caip2Namespace(format: AddressFormat): string | undefined {
  return namespaces.get(format)
}
