import { AddressFormat } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"

/** Namespaces that the Chain Agnostic Standards Alliance keeps, for formats that go with the chains of one only. */
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

/** CAIP-2 namespace of the chains that know such addresses; undefined where there is none, or more than one. */
export function caip2Namespace(format: AddressFormat): string | undefined {
  return namespaces.get(format)
}
