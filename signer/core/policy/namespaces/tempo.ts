import { caseless, int, list, string, struct } from "../language/types.ts"

/**
 * `tempo.tx`: a Tempo transaction to be signed. `to` is `''` where a contract is created, `function_signature` where
 * the input is too short for one; bounds of validity that are not set are 0.
 */
export const tempoTransaction = struct("TempoTransaction", {
  chain_id: int,
  nonce: int,
  gas_limit: int,
  max_fee_per_gas: int,
  max_priority_fee_per_gas: int,
  from: caseless,
  fee_token: caseless,
  valid_before: int,
  valid_after: int,
  calls: list(struct("TempoCall", { to: caseless, input: caseless, function_signature: string })),
})
