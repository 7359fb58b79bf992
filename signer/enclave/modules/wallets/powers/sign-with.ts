import { fromBinary } from "@bufbuild/protobuf"
import {
  type Record,
  RecordKind,
  WalletRecordSchema,
} from "../../../../../proto/gen/countersign/state/v1/record_pb.ts"
import { type Refusal, refuse } from "../../../../core/refusal.ts"
import type { AddressTarget } from "../../../activities/change-set.ts"
import { isSparkAddress, isTaprootAddress } from "../../../keys/address/index.ts"
import { openRecord } from "../../../records/record.ts"
import type { SigningScheme } from "../../../keys/signing-key.ts"
import type { RowName } from "../../../ledger/ledger.ts"
import type { ExecutionDeps } from "../../../execution/state/deps.ts"
import { addressKey, readAddressTarget } from "../../../execution/state/ledger-keys.ts"
import { canonicalSignWith, readKeyId } from "../../../execution/workspace/cache-names.ts"
import { archiveKey } from "../../../execution/state/archived-records.ts"

type Deps = Pick<ExecutionDeps, "ledger" | "keyring">

export type AccountTarget = Exclude<AddressTarget, { privateKeyId: string }>

/** The account or private key that signs for an address or private key id. @throws SIGN_WITH_UNKNOWN */
export function signTargetOf(
  organizationId: string,
  signWith: string,
  deps: Deps,
  field = "parameters.signWith",
): AddressTarget {
  const keyId = readKeyId(signWith)
  const row =
    keyId === undefined
      ? addressRow(organizationId, signWith, deps)
      : deps.ledger.row(organizationId, "archive-record", archiveKey(RecordKind.PRIVATE_KEY, keyId))
  if (row === undefined) throw unknownSigner(organizationId, signWith, deps, field)
  return keyId === undefined ? readAddressTarget(row) : { privateKeyId: keyId }
}

/** Published clients match the first sentence. */
const NOTHING_SIGNS = "Could not find any resource to sign with."

/** A wallet's id is often sent in place of an account's address. */
function unknownSigner(
  organizationId: string,
  signWith: string,
  { ledger, keyring }: Deps,
  field: string,
): Refusal {
  const key = archiveKey(RecordKind.WALLET, readKeyId(signWith) ?? "")
  const wallet = ledger.row(organizationId, "archive-record", key)
  const why =
    wallet === undefined
      ? `Nothing in this organization signs with ${signWith}`
      : `${signWith} is wallet ${walletName(openRecord(wallet, keyring.records))}: ` +
        "sign with an address of one of its accounts (list_wallet_accounts)"
  return refuse("SIGN_WITH_UNKNOWN", `${NOTHING_SIGNS} ${why}`, { field })
}

function walletName({ payload }: Record): string {
  return fromBinary(WalletRecordSchema, payload).name
}

/** The rows by which the ledger has the target alive at its present version, and the address naming it. */
export function rowsOfTarget(
  target: AddressTarget,
  signWith: string,
  { keyring }: Pick<Deps, "keyring">,
): RowName[] {
  const rows: RowName[] = []
  if (readKeyId(signWith) === undefined) rows.push({ kind: "address", key: addressKey(keyring, signWith) })
  if (!("privateKeyId" in target))
    return [...rows, { kind: "record", key: target.accountId }, { kind: "record", key: target.walletId }]
  const { privateKeyId: id } = target
  const archived = { kind: "archive-record", key: archiveKey(RecordKind.PRIVATE_KEY, id) } as const
  return [...rows, archived, { kind: "record", key: id }]
}

/** The wallet account of an address. @throws RESOURCE_UNKNOWN */
export function accountTargetOf(
  organizationId: string,
  address: string,
  field: string,
  deps: Deps,
): AccountTarget {
  const row = addressRow(organizationId, address, deps)
  const target = row && readAddressTarget(row)
  if (target !== undefined && "accountId" in target) return target
  throw refuse("RESOURCE_UNKNOWN", `Could not find wallet account with address: ${address}`, { field })
}

function addressRow(organizationId: string, address: string, { ledger, keyring }: Deps) {
  return ledger.row(organizationId, "address", addressKey(keyring, address))
}

/** The scheme that an address selects: the same key signs differently for Taproot, for Spark and by its id. */
export function signingScheme(signWith: string): SigningScheme {
  const name = canonicalSignWith(signWith)
  if (isTaprootAddress(name)) return "taproot"
  return isSparkAddress(name) ? "schnorr" : "default"
}
