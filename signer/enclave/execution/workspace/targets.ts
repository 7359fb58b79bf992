import { RecordKind } from "../../../../proto/gen/countersign/state/v1/record_pb.ts"
import type { AddressTarget } from "../../activities/activity.ts"
import { refuse } from "../../../core/refusal.ts"
import type { ExecutionDeps } from "../state/deps.ts"
import { addressKey, readAddressTarget } from "../state/ledger-keys.ts"
import { archiveKey } from "../state/record-names.ts"
import { readKeyId } from "./sign-with.ts"

type Deps = Pick<ExecutionDeps, "ledger" | "keyring">

export type AccountTarget = Exclude<AddressTarget, { privateKeyId: string }>

/** The account or private key that signs for an address or private key id. @throws SIGN_WITH_UNKNOWN */
export function signTargetOf(organizationId: string, signWith: string, deps: Deps): AddressTarget {
  const keyId = readKeyId(signWith)
  const row =
    keyId === undefined
      ? addressRow(organizationId, signWith, deps)
      : deps.ledger.row(organizationId, "archive-record", archiveKey(RecordKind.PRIVATE_KEY, keyId))
  if (row === undefined) {
    const sentence = `Could not find any resource to sign with. Nothing in this organization signs with ${signWith}`
    throw refuse("SIGN_WITH_UNKNOWN", sentence, { field: "parameters.signWith" })
  }
  return keyId === undefined ? readAddressTarget(row) : { privateKeyId: keyId }
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
