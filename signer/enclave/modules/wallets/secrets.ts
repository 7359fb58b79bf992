import { create, toBinary } from "@bufbuild/protobuf"
import type { ImportSecretParams } from "../../../../proto/gen/countersign/api/v1/intents/secrets_pb.ts"
import type { KeyValue } from "../../../../proto/gen/countersign/api/v1/params_pb.ts"
import { RecordKind, SecretRecordSchema } from "../../../../proto/gen/countersign/state/v1/record_pb.ts"
import { type Secret, wiping } from "../../../core/crypto/secret.ts"
import { refuse } from "../../../core/refusal.ts"
import { openBundle } from "../../bundles/sealed-bundle.ts"
import type { ActivityContext } from "../../activities/activity.ts"

/** Policies and auditors look a property up by its key. @throws PROPERTY_NAMED_TWICE */
export function requireDistinctKeys(properties: readonly KeyValue[], at: string): void {
  const seen = new Set<string>()
  for (const [index, { key }] of properties.entries()) {
    const field = `${at}[${index}].key`
    if (seen.has(key)) throw refuse("PROPERTY_NAMED_TWICE", `the property is named twice: ${key}`, { field })
    seen.add(key)
  }
}

/**
 * Opens one secret of an import with its key and stores it; returns its id. Wipes the key. The content exists in clear
 * only inside this function.
 * @throws BUNDLE_MALFORMED, BUNDLE_BROKEN, SECRET_SIZE_INVALID, NAME_TAKEN
 */
export function storeSecret(
  { name, secretPayload, staticProperties }: ImportSecretParams,
  importKey: Secret,
  at: string,
  context: ActivityContext,
): string {
  const { changes, nowMs, organization } = context
  const field = `${at}.secretPayload`
  const content = wiping([importKey], () => openBundle(importKey, secretPayload, field))
  return wiping([content], () => {
    requireSize(content, organization.limits.secretBytes, field)
    if (name !== undefined) changes.takeName("secret", name, `${at}.name`)
    const id = context.newId()
    const properties = staticProperties.map(({ key, value }) => ({ key, value }))
    const record = { name: name ?? "", staticProperties: properties, createdAtMs: BigInt(nowMs) }
    const payload = toBinary(SecretRecordSchema, create(SecretRecordSchema, record))
    changes.addRecord({ kind: RecordKind.SECRET, id, payload, secret: content })
    return id
  })
}

/** @throws SECRET_SIZE_INVALID */
function requireSize({ length }: Secret, max: number, field: string): void {
  if (length > 0 && length <= max) return
  const sentence = `a secret has 1 to ${max} bytes, this one has ${length}`
  throw refuse("SECRET_SIZE_INVALID", sentence, { field })
}
