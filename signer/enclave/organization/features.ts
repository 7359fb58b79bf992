import { create } from "@bufbuild/protobuf"
import { FeatureName, FeatureNameSchema } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { FeatureSchema } from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import { refuse } from "../../core/refusal.ts"
import { readApplications } from "../../core/oidc/applications.ts"
import { readOrigins } from "../../core/webauthn/client-data.ts"
import { isWebhookUrl, WEBHOOK_URL_RULE } from "../../core/webhook/url.ts"
import type { Draft } from "./draft.ts"
import type { Limits } from "./limits.ts"

/** `store` returns the value to store, undefined for an invalid one; `expected` describes valid values. */
type ValueRule = {
  expected: string
  store(value: string, limits: Readonly<Limits>): string | undefined
}

const SWITCH: ValueRule = {
  expected: 'no value or "true"; remove the feature to switch it off',
  store: (value) => (value === "" || value === "true" ? "true" : undefined),
}

const ORIGINS: ValueRule = {
  expected: "an origin like https://app.example.com, or several, separated by commas or as a JSON list",
  // No origin needs an escape, which would hide it from approvers: they read the text as it stands.
  store: (value) => (value.includes("\\") || readOrigins(value) === undefined ? undefined : value),
}

const APPLICATIONS: ValueRule = {
  expected:
    'a JSON object with a list of client ids for each issuer, {"https://accounts.google.com":["<client id>"]}; a single ' +
    '"*" in a list stands for every application of the issuer',
  store: (value) => (readApplications(value) === undefined ? undefined : value),
}

const WEBHOOK: ValueRule = {
  expected: WEBHOOK_URL_RULE,
  store: (value, { localWebhooks }) => (isWebhookUrl(value, localWebhooks) ? value : undefined),
}

/** The features that have rules. Other declared features belong to products that are not served. */
const RULES: ReadonlyMap<FeatureName, ValueRule> = new Map([
  [FeatureName.ROOT_USER_EMAIL_RECOVERY, SWITCH],
  [FeatureName.WEBAUTHN_ORIGINS, ORIGINS],
  [FeatureName.EMAIL_AUTH, SWITCH],
  [FeatureName.EMAIL_RECOVERY, SWITCH],
  [FeatureName.WEBHOOK, WEBHOOK],
  [FeatureName.SMS_AUTH, SWITCH],
  [FeatureName.OTP_EMAIL_AUTH, SWITCH],
  [FeatureName.SEALED_OTP_ONLY, SWITCH],
  [FeatureName.OIDC_APPLICATIONS, APPLICATIONS],
  [FeatureName.AUTH_PROXY, SWITCH],
  [FeatureName.STRICT_DENY, SWITCH],
])

/**
 * Sets a feature that this release reads: a setting that nothing reads would look as if it took effect. The value is
 * checked first, so a caller learns of a wrong one too. @throws FEATURE_NOT_SERVED, FEATURE_VALUE_INVALID
 */
export function setFeature(draft: Draft, name: FeatureName, value: string, field: string): void {
  const rule = RULES.get(name)
  const stored = rule?.store(value, draft.limits)
  if (rule !== undefined && stored === undefined) {
    const sentence = `${nameOf(name)} takes ${rule.expected}`
    throw refuse("FEATURE_VALUE_INVALID", sentence, { field: `${field}.value` })
  }
  if (stored === undefined)
    throw refuse("FEATURE_NOT_SERVED", `${nameOf(name)} is not served by this release`, {
      field: `${field}.name`,
    })
  storeFeature(draft, name, stored)
}

/** Stores a feature that a new organization has by default, read by this release or not. */
export function storeFeature(draft: Draft, name: FeatureName, stored: string): void {
  const { features } = draft.document
  const set = features.find((feature) => feature.name === name)
  if (set === undefined) features.push(create(FeatureSchema, { name, value: stored }))
  else set.value = stored
  draft.markChanged()
}

/** Removes a feature; does nothing when it is not set. */
export function removeFeature(draft: Draft, name: FeatureName): void {
  const { document } = draft
  const kept = document.features.filter((feature) => feature.name !== name)
  if (kept.length === document.features.length) return
  document.features = kept
  draft.markChanged()
}

/** All set features, as replies list them. */
export function listFeatures({ document }: Draft): { name: FeatureName; value: string }[] {
  return document.features.map(({ name, value }) => ({ name, value }))
}

/** The feature's name as requests spell it. */
function nameOf(name: FeatureName): string {
  return FeatureNameSchema.value[name]?.name ?? String(name)
}
