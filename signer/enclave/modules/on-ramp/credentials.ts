import { FiatOnRampProvider } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { OnRampCredential } from "../../../../proto/gen/countersign/state/v1/document_pb.ts"
import { type KeyMember, unopenedKey } from "../../../core/fetch-orders/on-ramp-key.ts"
import { decodeSealedKey } from "../../../core/fetch-orders/sealed-key-text.ts"
import { refuse } from "../../../core/refusal.ts"
import { keysOf, type NewOnRampCredential } from "./on-ramp-credentials.ts"
import type { ActivityContext } from "../../activities/activity.ts"

/** The keys as requests describe them. */
type Parameters = {
  onrampProvider: FiatOnRampProvider
  projectId?: string | undefined
  publishableApiKey: string
  encryptedSecretApiKey: string
  encryptedPrivateApiKey?: string | undefined
}

/** Refuses parameters that no stored credential can make right. @throws REQUEST_INVALID */
export function checkCredential(parameters: Parameters): void {
  const { onrampProvider, projectId, encryptedSecretApiKey, encryptedPrivateApiKey } = parameters
  requireSealed("encryptedSecretApiKey", encryptedSecretApiKey)
  if (encryptedPrivateApiKey !== undefined) requireSealed("encryptedPrivateApiKey", encryptedPrivateApiKey)
  const isCoinbase = onrampProvider === FiatOnRampProvider.COINBASE
  if (isCoinbase && projectId === undefined)
    throw invalid("projectId", "FIAT_ON_RAMP_PROVIDER_COINBASE needs the project's id")
  if (isCoinbase !== (encryptedPrivateApiKey !== undefined))
    throw invalid(
      "encryptedPrivateApiKey",
      "FIAT_ON_RAMP_PROVIDER_COINBASE needs it, and no other provider has it",
    )
}

/** The credential to store. @throws REQUEST_INVALID for a publishable key of the other mode */
export function readCredential(
  { onrampProvider: provider, ...parameters }: Parameters,
  { credentialId, sandbox }: Pick<OnRampCredential, "credentialId" | "sandbox">,
): NewOnRampCredential {
  const { projectId = "", publishableApiKey, encryptedSecretApiKey, encryptedPrivateApiKey = "" } = parameters
  requirePublishableKey(provider, publishableApiKey, sandbox)
  const keys = { publishableApiKey, encryptedSecretApiKey, encryptedPrivateApiKey }
  return { credentialId, provider, sandbox, projectId, ...keys }
}

/**
 * Requires that the keys open and fit, and claims them for good: other organizations must not use sealed keys that they
 * saw.
 * @throws ON_RAMP_KEY_INVALID, ON_RAMP_KEY_OF_ANOTHER_ORGANIZATION, FETCHER_NOT_PAIRED, STATEMENT_INVALID
 */
export function claimKeys(credential: NewOnRampCredential, context: ActivityContext<["onRamp"]>): void {
  const keys = keysOf(credential, context.organization.document.organizationId)
  context.onRamp.requireKeys(keys)
  const claim = (sealed: Uint8Array, member: KeyMember) =>
    context.changes.secrets.claim("on-ramp-key", sealed, () => unopenedKey(member))
  claim(keys.sealedSecretApiKey, "encryptedSecretApiKey")
  if (keys.sealedPrivateApiKey.length > 0) claim(keys.sealedPrivateApiKey, "encryptedPrivateApiKey")
}

/** MoonPay's keys name their mode: pk_live_, or pk_test_ of the sandbox. */
function requirePublishableKey(provider: FiatOnRampProvider, key: string, sandbox: boolean): void {
  const prefix = sandbox ? "pk_test_" : "pk_live_"
  if (provider !== FiatOnRampProvider.MOONPAY || (key.startsWith(prefix) && /^[\w-]+$/.test(key))) return
  const mode = sandbox ? "the sandbox" : "live purchases"
  throw invalid("publishableApiKey", `MoonPay's publishable key for ${mode} begins with ${prefix}`)
}

function requireSealed(member: KeyMember, text: string): void {
  if (decodeSealedKey(text) !== undefined) return
  const sentence =
    "must be Base58Check of a compressed P-256 point and ciphertext, as encryptOnRampSecret makes it"
  throw invalid(member, sentence)
}

function invalid(member: string, sentence: string) {
  return refuse("REQUEST_INVALID", `parameters.${member}: ${sentence}`, { field: `parameters.${member}` })
}
