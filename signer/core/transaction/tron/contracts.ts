import * as field from "./fields.ts"
import type { TronMessage, TronShape } from "./wire.ts"

// Contracts of Tron that are signed, with all fields of their messages (java-tron, protocol/src/main/protos/core/
// contract). Policies see each field by the name here.

/** `TRON_POWER`, 2, is no resource that policies know; it is refused. */
const resource = (number: number) => field.oneOf(number, ["BANDWIDTH", "ENERGY"])

/** java-tron, AccountPermissionUpdateActuator and the default of TOTAL_SIGN_NUM. */
const [MAX_ACTIVES, MAX_KEYS] = [8, 5] as const
/** java-tron, MAX_VOTE_NUMBER. */
const MAX_VOTES = 30

const PERMISSION = {
  type: field.oneOf(1, ["Owner", "Witness", "Active"]),
  id: field.int32(2),
  permission_name: field.text(3),
  threshold: field.int64(4),
  parent_id: field.int32(5),
  operations: field.hex(6),
  keys: field.messages(7, { address: field.address(1), weight: field.int64(2) }, MAX_KEYS),
} satisfies TronShape

export const CONTRACTS = {
  TransferContract: {
    owner_address: field.address(1),
    to_address: field.address(2),
    amount: field.int64(3),
  },
  // A TRC-10 token, by the digits of its id.
  TransferAssetContract: {
    asset_name: field.text(1),
    owner_address: field.address(2),
    to_address: field.address(3),
    amount: field.int64(4),
  },
  TriggerSmartContract: {
    owner_address: field.address(1),
    contract_address: field.address(2),
    call_value: field.int64(3),
    data: field.hex(4),
    call_token_value: field.int64(5),
    token_id: field.int64(6),
  },
  AccountPermissionUpdateContract: {
    owner_address: field.address(1),
    owner: field.message(2, PERMISSION),
    witness: field.optionalMessage(3, PERMISSION),
    actives: field.messages(4, PERMISSION, MAX_ACTIVES),
  },
  FreezeBalanceV2Contract: {
    owner_address: field.address(1),
    frozen_balance: field.int64(2),
    resource: resource(3),
  },
  UnfreezeBalanceV2Contract: {
    owner_address: field.address(1),
    unfreeze_balance: field.int64(2),
    resource: resource(3),
  },
  WithdrawExpireUnfreezeContract: { owner_address: field.address(1) },
  CancelAllUnfreezeV2Contract: { owner_address: field.address(1) },
  // It ends a stake that was made before Stake 2.0. Nodes accept no new stakes of that kind.
  UnfreezeBalanceContract: {
    owner_address: field.address(1),
    resource: resource(10),
    receiver_address: field.optionalAddress(15),
  },
  VoteWitnessContract: {
    owner_address: field.address(1),
    votes: field.messages(2, { vote_address: field.address(1), vote_count: field.int64(2) }, MAX_VOTES),
  },
  // Rewards.
  WithdrawBalanceContract: { owner_address: field.address(1) },
  DelegateResourceContract: {
    owner_address: field.address(1),
    resource: resource(2),
    balance: field.int64(3),
    receiver_address: field.address(4),
    lock: field.bool(5),
    lock_period: field.int64(6),
  },
  UnDelegateResourceContract: {
    owner_address: field.address(1),
    resource: resource(2),
    balance: field.int64(3),
    receiver_address: field.address(4),
  },
} as const satisfies Readonly<Record<string, TronShape & { owner_address: unknown }>>

export type ContractType = keyof typeof CONTRACTS
export type TronPermission = TronMessage<typeof PERMISSION>

/** Contracts by the number of their type (`ContractType` of Tron.proto). */
export const CONTRACT_TYPES: ReadonlyMap<bigint, ContractType> = new Map<bigint, ContractType>([
  [1n, "TransferContract"],
  [2n, "TransferAssetContract"],
  [4n, "VoteWitnessContract"],
  [12n, "UnfreezeBalanceContract"],
  [13n, "WithdrawBalanceContract"],
  [31n, "TriggerSmartContract"],
  [46n, "AccountPermissionUpdateContract"],
  [54n, "FreezeBalanceV2Contract"],
  [55n, "UnfreezeBalanceV2Contract"],
  [56n, "WithdrawExpireUnfreezeContract"],
  [57n, "DelegateResourceContract"],
  [58n, "UnDelegateResourceContract"],
  [59n, "CancelAllUnfreezeV2Contract"],
])
