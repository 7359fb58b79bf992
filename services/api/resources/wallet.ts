import { fromBinary, type MessageInitShape } from "@bufbuild/protobuf"
import type { WalletAccountSchema, WalletSchema } from "../../../proto/gen/countersign/api/v1/resources_pb.ts"
import {
  RecordKind,
  RecordSchema,
  type WalletAccountRecord,
  WalletAccountRecordSchema,
  WalletRecordSchema,
} from "../../../proto/gen/countersign/state/v1/record_pb.ts"
import { notFound } from "../errors.ts"
import type { Database } from "../../database/database.ts"
import { getRecord, type RecordRow } from "../store/records.ts"
import { caip2Namespace } from "./caip2.ts"
import { timestamps } from "./time.ts"

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

export function walletResource({ id, bytes }: RecordRow): MessageInitShape<typeof WalletSchema> {
  const wallet = fromBinary(WalletRecordSchema, fromBinary(RecordSchema, bytes).payload)
  const { name: walletName, exported, imported } = wallet
  return { walletId: id, walletName, ...timestamps(wallet), exported, imported }
}

export function readWalletAccount({ bytes }: RecordRow): WalletAccountRecord {
  return fromBinary(WalletAccountRecordSchema, fromBinary(RecordSchema, bytes).payload)
}

export function walletAccountResource(
  row: RecordRow,
  walletDetails?: MessageInitShape<typeof WalletSchema>,
): MessageInitShape<typeof WalletAccountSchema> {
  const account = readWalletAccount(row)
  const caip2Prefix = caip2Namespace(account.addressFormat)
  return {
    walletAccountId: row.id,
    organizationId: row.organizationId,
    walletId: account.walletId,
    curve: account.curve,
    pathFormat: account.pathFormat,
    path: account.path,
    addressFormat: account.addressFormat,
    address: account.address,
    ...timestamps(account),
    publicKey: account.publicKey,
    ...(account.name ? { name: account.name } : {}),
    ...(caip2Prefix ? { caip2Prefix } : {}),
    ...(walletDetails ? { walletDetails } : {}),
  }
}
