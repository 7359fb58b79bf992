import { fromBinary } from "@bufbuild/protobuf"
import {
  RecordKind,
  RecordSchema,
  WalletAccountRecordSchema,
} from "../../proto/gen/countersign/state/v1/record_pb.ts"
import { canonicalAddress } from "./canonical-address.ts"
import type { RecordChange } from "./store/changes.ts"

/** A record of the signer with what it is looked up by. */
export function recordChange(bytes: Uint8Array): RecordChange {
  const { kind, id, version, deleted, payload } = fromBinary(RecordSchema, bytes)
  const change = { kind, id, version, deleted, bytes }
  if (deleted || kind !== RecordKind.WALLET_ACCOUNT) return change
  const { walletId, address } = fromBinary(WalletAccountRecordSchema, payload)
  return { ...change, parentId: walletId, address: canonicalAddress(address) }
}
