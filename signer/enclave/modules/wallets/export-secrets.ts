import { RecordKind } from "../../../../proto/gen/countersign/state/v1/record_pb.ts"
import type { LongActivity } from "../../activities/activity.ts"
import { requireDistinctKeys } from "./secrets.ts"

const FIELD = "parameters.secrets"

const needs = ["exportBundle", "vault"] as const

/** Returns secrets, each sealed to the key that the request names for it. */
export const exportSecrets: LongActivity<"exportSecrets", typeof needs> = {
  needs,
  check({ secrets }) {
    for (const [index, { requestContext }] of secrets.entries())
      requireDistinctKeys(requestContext, `${FIELD}[${index}].requestContext`)
  },
  *run({ secrets }, context) {
    const targets = secrets.map(({ targetPublicKey }, index) =>
      context.exportBundle.to(targetPublicKey, `${FIELD}[${index}].targetPublicKey`),
    )
    const ids = secrets.map(({ secretId }) => secretId)
    const records = yield* context.records.openAll(RecordKind.SECRET, ids, FIELD)
    const secretPayloads: string[] = []
    for (const [index, target] of targets.entries()) {
      const record = records[index]
      if (record === undefined) throw new Error("each target is that of a record")
      secretPayloads.push(target.seal(context.vault.openSecret(record), { secretId: record.id }))
      yield
    }
    return { secretPayloads }
  },
}
