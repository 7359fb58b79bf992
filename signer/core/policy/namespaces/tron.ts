import { bool, int, list, oneOf, string, struct } from "../language/types.ts"

const permission = struct("TronPermission", {
  type: oneOf("Owner", "Witness", "Active"),
  id: int,
  threshold: int,
  parent_id: int,
  permission_name: string,
  operations: string,
  keys: list(struct("TronKey", { address: string, weight: int })),
})

/** Fields of all contract types together; those that a type does not have are not used. */
const contract = struct(
  "TronContract",
  {
    type: string,
    permission_id: int,
    owner_address: string,
    to_address: string,
    amount: int,
    contract_address: string,
    data: string,
    call_value: int,
    call_token_value: int,
    token_id: int,
    resource: oneOf("ENERGY", "BANDWIDTH"),
    balance: int,
    receiver_address: string,
    lock: bool,
    lock_period: int,
    frozen_balance: int,
    unfreeze_balance: int,
    owner: permission,
    witness: permission,
    actives: list(permission),
  },
  { partial: true },
)

/**
 * `tron.tx`: a Tron transaction to be signed. Amounts in sun. `data` is the memo; that of a contract is hexadecimal
 * without `0x`.
 */
export const tronTransaction = struct("TronTransaction", {
  ref_block_bytes: string,
  ref_block_hash: string,
  data: string,
  expiration: int,
  timestamp: int,
  fee_limit: int,
  contract: list(contract),
})
