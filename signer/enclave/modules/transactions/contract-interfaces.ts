import { create } from "@bufbuild/protobuf"
import type { InterfaceReference } from "../../../../proto/gen/countersign/state/v1/document_pb.ts"
import { InterfaceReferenceSchema } from "../../../../proto/gen/countersign/state/v1/document_pb.ts"
import { refuse } from "../../../core/refusal.ts"
import type { Draft } from "../../organization/draft.ts"
import { MAX_INTERFACES } from "../../organization/limits.ts"

export type NewInterface = Pick<InterfaceReference, "interfaceId" | "type" | "address" | "digest">

/** Adds an interface. A contract has one of each type, so its calls decode in one way. @throws INTERFACE_TAKEN, LIMIT_EXCEEDED */
export function addInterface(draft: Draft, added: NewInterface, field: string): void {
  const { interfaces } = draft.document
  if (interfaces.some(({ type, address }) => type === added.type && address === added.address)) {
    const sentence = `the organization already has an interface of this type for ${added.address}; delete it first`
    throw refuse("INTERFACE_TAKEN", sentence, { field })
  }
  if (interfaces.length >= MAX_INTERFACES)
    throw refuse("LIMIT_EXCEEDED", `an organization has at most ${MAX_INTERFACES} smart contract interfaces`)
  interfaces.push(create(InterfaceReferenceSchema, added))
  draft.markChanged()
}

/** @throws RESOURCE_UNKNOWN */
export function removeInterface(draft: Draft, interfaceId: string, field: string): void {
  const { document } = draft
  const kept = document.interfaces.filter((one) => one.interfaceId !== interfaceId)
  if (kept.length === document.interfaces.length) {
    const sentence = `unable to find smart contract interface ${interfaceId} in organization ${draft.id}`
    throw refuse("RESOURCE_UNKNOWN", sentence, { field })
  }
  document.interfaces = kept
  draft.markChanged()
}
