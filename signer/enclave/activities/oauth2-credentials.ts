import { create, fromBinary, toBinary } from "@bufbuild/protobuf"
import { Oauth2Provider } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import {
  type Oauth2CredentialRecord,
  Oauth2CredentialRecordSchema,
  RecordKind,
} from "../../../proto/gen/countersign/state/v1/record_pb.ts"
import type { Activity, ActivityContext } from "./activity.ts"

const KIND = RecordKind.OAUTH2_CREDENTIAL

/** An application's account as the requests describe it. */
type Oauth2Credential = Pick<Oauth2CredentialRecord, "provider" | "clientId" | "encryptedClientSecret">

export const createOauth2Credential: Activity<
  "createOauth2CredentialIntent",
  "createOauth2CredentialResult"
> = {
  run({ provider, clientId, encryptedClientSecret }, context) {
    const credential = { provider, clientId, encryptedClientSecret }
    context.changes.takeName("oauth2 credential", nameOf(credential), "parameters.clientId")
    requireOwnSecret(credential, context)
    const createdAtMs = BigInt(context.nowMs)
    const payload = write({ ...credential, createdAtMs, updatedAtMs: createdAtMs })
    const id = context.newId()
    context.changes.addRecord({ kind: KIND, id, payload })
    return { oauth2CredentialId: id }
  },
}

export const updateOauth2Credential: Activity<
  "updateOauth2CredentialIntent",
  "updateOauth2CredentialResult"
> = {
  run({ oauth2CredentialId, provider, clientId, encryptedClientSecret }, context) {
    const record = context.record(KIND, oauth2CredentialId, "parameters.oauth2CredentialId")
    const before = fromBinary(Oauth2CredentialRecordSchema, record.payload)
    const credential = { provider, clientId, encryptedClientSecret }
    const [oldName, newName] = [nameOf(before), nameOf(credential)]
    if (oldName !== newName) {
      context.changes.releaseName("oauth2 credential", oldName)
      context.changes.takeName("oauth2 credential", newName, "parameters.clientId")
    }
    requireOwnSecret(credential, context)
    const times = { createdAtMs: before.createdAtMs, updatedAtMs: BigInt(context.nowMs) }
    context.changes.changeRecord(record, write({ ...credential, ...times }))
    return { oauth2CredentialId }
  },
}

export const deleteOauth2Credential: Activity<
  "deleteOauth2CredentialIntent",
  "deleteOauth2CredentialResult"
> = {
  run({ oauth2CredentialId }, context) {
    const record = context.record(KIND, oauth2CredentialId, "parameters.oauth2CredentialId")
    const credential = fromBinary(Oauth2CredentialRecordSchema, record.payload)
    context.changes.releaseName("oauth2 credential", nameOf(credential))
    context.changes.deleteRecord(KIND, oauth2CredentialId)
    return { oauth2CredentialId }
  },
}

/**
 * Nothing in a sealed secret says whose it is: whoever saw it could register it as his own and have the fetcher
 * use it for him. So it belongs to the organization that came first, for good.
 *
 * @throws CLIENT_SECRET_INVALID
 */
function requireOwnSecret({ encryptedClientSecret }: Oauth2Credential, context: ActivityContext): void {
  const sealed = Buffer.from(encryptedClientSecret, "hex")
  context.outside.requireOpens(sealed)
  context.changes.claimClientSecret(sealed)
}

/** Of one provider and client there is one. */
function nameOf({ provider, clientId }: Oauth2Credential): string {
  return `${provider === Oauth2Provider.X ? "x" : "discord"} ${clientId}`
}

function write(record: Omit<Oauth2CredentialRecord, "$typeName">): Uint8Array {
  return toBinary(Oauth2CredentialRecordSchema, create(Oauth2CredentialRecordSchema, record))
}
