import { fromBinary } from "@bufbuild/protobuf"
import {
  Oauth2CredentialRecordSchema,
  RecordSchema,
} from "../../../proto/gen/countersign/state/v1/record_pb.ts"
import { oauth2CredentialResource } from "./resources.ts"
import type { RecordRow } from "../store/records.ts"

/** A stored credential as it is shown: its secret sealed, as it was submitted. */
export function oauth2CredentialOf(organizationId: string, { id, bytes }: RecordRow) {
  const credential = fromBinary(Oauth2CredentialRecordSchema, fromBinary(RecordSchema, bytes).payload)
  return oauth2CredentialResource({ id, organizationId }, credential)
}
