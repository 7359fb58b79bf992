import type { ImportSecretParams } from "../../../../proto/gen/countersign/api/v1/intents/secrets_pb.ts"
import { type Secret, wipingAfter } from "../../../core/crypto/secret.ts"
import type { Steps } from "../../../core/turns/steps.ts"
import type { ActivityContext, LongActivity } from "../../activities/activity.ts"
import { requireDistinctKeys, storeSecret } from "./secrets.ts"

const FIELD = "parameters.secrets"

const needs = ["secretImportKey"] as const

/** Imports secrets, each sealed to an import key of the submitter. All are stored, or none. */
export const importSecrets: LongActivity<"importSecrets", typeof needs> = {
  needs,
  check({ secrets }) {
    for (const [index, { staticProperties }] of secrets.entries())
      requireDistinctKeys(staticProperties, `${FIELD}[${index}].staticProperties`)
  },
  *run({ secrets }, context) {
    const named = secrets.map(({ targetPublicKey }, index) => ({
      publicKeyHex: targetPublicKey,
      field: `${FIELD}[${index}].targetPublicKey`,
    }))
    const keys = context.secretImportKey.spend(named)
    return { secretIds: yield* wipingAfter(keys, storeAll(secrets, keys, context)) }
  },
}

function* storeAll(
  secrets: readonly ImportSecretParams[],
  keys: readonly Secret[],
  context: ActivityContext,
): Steps<string[]> {
  const ids: string[] = []
  for (const [index, key] of keys.entries()) {
    const secret = secrets[index]
    if (secret === undefined) throw new Error("each key is that of a secret")
    ids.push(storeSecret(secret, key, `${FIELD}[${index}]`, context))
    yield
  }
  return ids
}
