import { PayloadFault, readPayloadJson, requireMembers, requireObject } from "../fault.ts"
import { domainTypes } from "./domain.ts"
import { DOMAIN, readTypes, type Types } from "./types.ts"

/** Typed data in parts. Domain and message are as in the JSON text, not yet checked against the types. */
export type TypedData = {
  /** EIP712Domain among them. */
  readonly types: Types
  readonly primaryType: string
  readonly domain: Readonly<Record<string, unknown>>
  readonly message: unknown
}

/** Reads the JSON text {types, primaryType, domain, message}. @throws {PayloadFault} */
export function readTypedData(text: string): TypedData {
  const json = requireObject(readPayloadJson(text), "the typed data")
  requireMembers(json, ["types", "primaryType", "domain", "message"], "the typed data")
  const domain = requireObject(json["domain"], "domain")
  const types = domainTypes(readTypes(json["types"]), domain)
  const primaryType = json["primaryType"]
  if (typeof primaryType !== "string" || primaryType === DOMAIN || !types.has(primaryType))
    throw new PayloadFault("primaryType is not one of the types")
  return { types, primaryType, domain, message: json["message"] }
}
