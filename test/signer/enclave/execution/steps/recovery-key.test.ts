import { create } from "@bufbuild/protobuf"
import t from "tap"
import { activityTypes } from "../../../../../proto/catalog.ts"
import { CredentialType } from "../../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { ApiKeySchema } from "../../../../../proto/gen/countersign/state/v1/document_pb.ts"
import { requireRecoveryUse } from "../../../../../signer/enclave/execution/steps/recovery-key.ts"

type Use = Parameters<typeof requireRecoveryUse>[0]

/** The request of a credential: a key of this type, or no key. */
function use(type: string, key?: CredentialType): Use {
  const apiKey = key === undefined ? undefined : create(ApiKeySchema, { type: key })
  return { request: { activity: activityTypes.get(`ACTIVITY_TYPE_${type}`) }, owner: { apiKey } } as Use
}

const { RECOVER_USER_KEY_P256: RECOVERY, API_KEY_P256, EMAIL_AUTH_KEY_P256 } = CredentialType

t.test("a recovery key stamps recover_user", async (t) => {
  t.doesNotThrow(() => requireRecoveryUse(use("RECOVER_USER", RECOVERY)))
})

t.test("a recovery key stamps nothing else", async (t) => {
  for (const type of activityTypes.keys()) {
    if (type === "ACTIVITY_TYPE_RECOVER_USER") continue
    const stamped = use(type.replace("ACTIVITY_TYPE_", ""), RECOVERY)
    t.throws(() => requireRecoveryUse(stamped), { code: "RECOVERY_KEY_CONFINED", field: "type" }, type)
  }
})

t.test("nothing else stamps recover_user", async (t) => {
  for (const key of [API_KEY_P256, EMAIL_AUTH_KEY_P256, undefined]) {
    const stamped = use("RECOVER_USER", key)
    t.throws(() => requireRecoveryUse(stamped), { code: "RECOVERY_KEY_NEEDED", field: "type" })
    t.doesNotThrow(() => requireRecoveryUse(use("CREATE_WALLET", key)))
  }
})
