import { create, fromBinary, toBinary } from "@bufbuild/protobuf"
import { Oauth2Provider } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import {
  type Oauth2CredentialRecord,
  Oauth2CredentialRecordSchema,
  RecordKind,
} from "../../../../proto/gen/countersign/state/v1/record_pb.ts"
import { unopenedSecret } from "../../../core/fetch-orders/order.ts"
import type { ActivityContext } from "../../activities/activity.ts"

/** An OAuth 2.0 client registration as the requests describe it. */
type Oauth2Credential = Pick<Oauth2CredentialRecord, "provider" | "clientId" | "encryptedClientSecret">

/** Opens the record of a credential. @throws RESOURCE_UNKNOWN, RECORD_DELETED */
export function openCredential(id: string, context: ActivityContext) {
  const record = context.records.open(RecordKind.OAUTH2_CREDENTIAL, id, "parameters.oauth2CredentialId")
  return { record, credential: fromBinary(Oauth2CredentialRecordSchema, record.payload) }
}

/**
 * Claims the secret for good: other organizations must not use a sealed secret that they saw.
 * @throws CLIENT_SECRET_INVALID, CLIENT_SECRET_OF_ANOTHER_ORGANIZATION
 */
export function claimSecret(
  { encryptedClientSecret }: Oauth2Credential,
  { clientSecret, changes }: ActivityContext<["clientSecret"]>,
): void {
  const sealed = Buffer.from(encryptedClientSecret, "hex")
  clientSecret.requireOpens(sealed)
  changes.secrets.claim("client-secret", sealed, unopenedSecret)
}

/** The unique name of a credential: an organization has one for each provider and client id. */
export function credentialName({ provider, clientId }: Oauth2Credential): string {
  return `${provider === Oauth2Provider.X ? "x" : "discord"} ${clientId}`
}

export function encodeCredential(record: Omit<Oauth2CredentialRecord, "$typeName">): Uint8Array {
  return toBinary(Oauth2CredentialRecordSchema, create(Oauth2CredentialRecordSchema, record))
}
