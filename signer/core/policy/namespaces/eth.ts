import {
  caseless,
  dynamic,
  int,
  map,
  oneOf,
  string,
  type StringType,
  struct,
  uint,
} from "../language/types.ts"

const lowerCase: StringType = { kind: "string", spelling: "lower-case-hex" }

/**
 * `eth.tx`: an EVM transaction to be signed. Amounts in wei. `to` is `''` where a contract is created; `data` is
 * hexadecimal in lower case after `0x`. Function and arguments are those of the contract's uploaded interface; without
 * one the names are `''` and the map is empty.
 */
export const ethTransaction = struct("EthTransaction", {
  from: caseless,
  to: caseless,
  data: lowerCase,
  value: int,
  gas: int,
  gas_price: int,
  chain_id: int,
  nonce: int,
  max_fee_per_gas: int,
  max_priority_fee_per_gas: int,
  max_fee_per_blob_gas: int,
  type: oneOf("LEGACY", "TYPE_1", "TYPE_2", "TYPE_3", "TYPE_4"),
  function_name: string,
  function_signature: lowerCase,
  contract_call_args: map(dynamic),
})

/**
 * `eth.eip_712`: typed data to be signed. An absent member of the domain is `''`. Values of the message keep the JSON
 * type that the client sent; those of the Solidity types address, bytes and bytes1 to bytes32 are caseless.
 */
export const ethTypedData = struct("EthTypedData", {
  primary_type: string,
  domain: struct("EthTypedDataDomain", {
    name: string,
    version: string,
    verifying_contract: caseless,
    chain_id: uint,
  }),
  message: map({ kind: "dynamic", asSent: true }),
})

/** `eth.eip_7702_authorization`: an account that delegates itself to a contract. */
export const ethAuthorization = struct("EthAuthorization", {
  address: caseless,
  chain_id: { kind: "int", quotable: true },
  nonce: { kind: "int", quotable: true },
})
