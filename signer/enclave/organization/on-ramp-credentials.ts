import { create } from "@bufbuild/protobuf"
import { FiatOnRampProvider } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import {
  type OnRampCredential,
  OnRampCredentialSchema,
  type OrganizationDocument,
} from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import { refuse } from "../../core/refusal.ts"
import type { Draft } from "./draft.ts"

type Times = "createdAtMs" | "updatedAtMs"
export type NewOnRampCredential = Omit<OnRampCredential, "$typeName" | "$unknown" | Times>

/** @throws ACTIVITY_CALLER_INVALID, NAME_TAKEN */
export function addOnRampCredential(draft: Draft, credential: NewOnRampCredential): void {
  const { onRampCredentials, parentId } = draft.document
  if (parentId !== "") {
    const sentence = "only a top-level organization has on-ramp credentials; its sub-organizations use them"
    throw refuse("ACTIVITY_CALLER_INVALID", sentence)
  }
  requireOnlyOne(onRampCredentials, credential)
  const times = { createdAtMs: draft.nowMs, updatedAtMs: draft.nowMs }
  onRampCredentials.push(create(OnRampCredentialSchema, { ...credential, ...times }))
  draft.markChanged()
}

/** Replaces all but id, mode and time of creation. @throws RESOURCE_UNKNOWN, NAME_TAKEN */
export function changeOnRampCredential(draft: Draft, changed: NewOnRampCredential): void {
  const { onRampCredentials } = draft.document
  const credential = requireOnRampCredential(draft.document, changed.credentialId)
  requireOnlyOne(
    onRampCredentials.filter((other) => other !== credential),
    changed,
  )
  Object.assign(credential, changed, { updatedAtMs: draft.nowMs })
  draft.markChanged()
}

/** @throws RESOURCE_UNKNOWN */
export function removeOnRampCredential(draft: Draft, id: string): void {
  const { document } = draft
  const credential = requireOnRampCredential(document, id)
  document.onRampCredentials = document.onRampCredentials.filter((other) => other !== credential)
  draft.markChanged()
}

/** A credential of the organization; `id` in upper or lower case. @throws RESOURCE_UNKNOWN */
export function requireOnRampCredential(
  { onRampCredentials, organizationId }: OrganizationDocument,
  id: string,
): OnRampCredential {
  const credential = onRampCredentials.find(({ credentialId }) => credentialId === id.toLowerCase())
  if (credential !== undefined) return credential
  const sentence = `unable to find fiat on-ramp credential ${id} in organization ${organizationId}`
  throw refuse("RESOURCE_UNKNOWN", sentence, { field: "parameters.fiatOnrampCredentialId" })
}

/** One credential for each provider and mode, so that a purchase needs no choice. @throws NAME_TAKEN */
function requireOnlyOne(
  others: readonly OnRampCredential[],
  { provider, sandbox }: NewOnRampCredential,
): void {
  if (others.every((other) => other.provider !== provider || other.sandbox !== sandbox)) return
  const name = provider === FiatOnRampProvider.MOONPAY ? "MoonPay" : "Coinbase"
  const mode = sandbox ? "its sandbox" : "live purchases"
  const sentence = `fiat on-ramp credential must be unique: the organization has one of ${name} for ${mode}`
  throw refuse("NAME_TAKEN", sentence, { field: "parameters.onrampProvider" })
}
