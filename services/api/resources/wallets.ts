import { fromBinary } from "@bufbuild/protobuf"
import {
  RecordKind,
  RecordSchema,
  WalletRecordSchema,
} from "../../../proto/gen/countersign/state/v1/record_pb.ts"
import { notFound } from "../errors.ts"
import { walletResource } from "./resources.ts"
import type { Database } from "../store/database.ts"
import { getRecord, type RecordRow } from "../store/records.ts"

/** A stored wallet as it is shown. */
export function walletOf({ id, bytes }: RecordRow) {
  return walletResource(id, fromBinary(WalletRecordSchema, fromBinary(RecordSchema, bytes).payload))
}

/** @throws ApiError 404 */
export async function requireWallet(
  sql: Database,
  organizationId: string,
  walletId: string,
): Promise<RecordRow> {
  const row = await getRecord(sql, organizationId, RecordKind.WALLET, walletId)
  if (row === undefined) throw notFound(`unable to find wallet ${walletId} in organization ${organizationId}`)
  return row
}
