import { create } from "@bufbuild/protobuf"
import { FiatOnRampProvider } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import {
  type OnRampCredential,
  OnRampCredentialSchema,
  type OrganizationDocument,
} from "../../../../proto/gen/countersign/state/v1/document_pb.ts"
import { type OnRampKeys, OnRampKeysSchema } from "../../../../proto/gen/countersign/signer/v1/fetcher_pb.ts"
import { decodeSealedKey } from "../../../core/fetch-orders/sealed-key-text.ts"
import { refuse } from "../../../core/refusal.ts"
import type { Draft } from "../../organization/draft.ts"

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
  const sentence = `fiat on-ramp credential must be unique: the organization has one of ${nameOf(provider)} for ${modeOf(sandbox)}`
  throw refuse("NAME_TAKEN", sentence, { field: "parameters.onrampProvider" })
}

/** The keys of a provider for a mode. @throws ON_RAMP_CREDENTIAL_MISSING */
export function requireOnRampKeys(
  { onRampCredentials, organizationId }: Pick<OrganizationDocument, "onRampCredentials" | "organizationId">,
  provider: FiatOnRampProvider,
  sandbox: boolean,
): OnRampKeys {
  const credential = onRampCredentials.find((one) => one.provider === provider && one.sandbox === sandbox)
  if (credential !== undefined) return keysOf(credential, organizationId)
  const sentence = `organization ${organizationId} has no credential of ${nameOf(provider)} for ${modeOf(sandbox)}; store one with create_fiat_on_ramp_credential`
  throw refuse("ON_RAMP_CREDENTIAL_MISSING", sentence, { field: "parameters.onrampProvider" })
}

/** The keys as orders to the fetcher carry them. `organizationId`: the organization that has the credential. */
export function keysOf(credential: NewOnRampCredential, organizationId: string): OnRampKeys {
  const { provider, sandbox, publishableApiKey, encryptedSecretApiKey, encryptedPrivateApiKey } = credential
  return create(OnRampKeysSchema, {
    provider,
    sandbox,
    organizationId,
    publishableApiKey,
    sealedSecretApiKey: sealedBytes(encryptedSecretApiKey),
    sealedPrivateApiKey: sealedBytes(encryptedPrivateApiKey),
  })
}

function sealedBytes(text: string): Uint8Array {
  return decodeSealedKey(text) ?? new Uint8Array(0)
}

function nameOf(provider: FiatOnRampProvider): string {
  return provider === FiatOnRampProvider.MOONPAY ? "MoonPay" : "Coinbase"
}

function modeOf(sandbox: boolean): string {
  return sandbox ? "its sandbox" : "live purchases"
}
