import { fromBinary, type MessageInitShape } from "@bufbuild/protobuf"
import type { Oauth2CredentialSchema } from "../../../proto/gen/countersign/api/v1/resources_pb.ts"
import {
  Oauth2CredentialRecordSchema,
  RecordSchema,
} from "../../../proto/gen/countersign/state/v1/record_pb.ts"
import type { RecordRow } from "../store/records.ts"
import { timestamps } from "./time.ts"

/** The secret stays encrypted to the fetcher, as it was submitted. */
export function oauth2CredentialResource({
  id: oauth2CredentialId,
  organizationId,
  bytes,
}: RecordRow): MessageInitShape<typeof Oauth2CredentialSchema> {
  const credential = fromBinary(Oauth2CredentialRecordSchema, fromBinary(RecordSchema, bytes).payload)
  const { provider, clientId, encryptedClientSecret } = credential
  const times = timestamps(credential)
  return { oauth2CredentialId, organizationId, provider, clientId, encryptedClientSecret, ...times }
}
