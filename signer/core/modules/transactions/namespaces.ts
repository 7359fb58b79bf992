import {
  bool,
  caseless,
  dynamic,
  int,
  list,
  map,
  oneOf,
  reference,
  type Spelling,
  string,
  type StringType,
  struct,
  uint,
} from "../../policy/language/types.ts"

const spelled = (spelling: Spelling): StringType => ({ kind: "string", spelling })
const lowerCase = spelled("lower-case-hex")
const bareHex = spelled("bare-hex")
const evmAddress: StringType = { ...caseless, spelling: "evm-address" }
const tronAddress = spelled("tron-address")
const solanaKey = spelled("solana-key")

/**
 * `eth.tx`: an EVM transaction to be signed. Amounts in wei. `to` is `''` where a contract is created; `data` is
 * hexadecimal in lower case after `0x`. `fee_currency` is the token that TYPE_123 of Celo pays its fees in, and `''` in all other
 * types. Function and arguments are those of the contract's uploaded interface; without
 * one the names are `''` and the map is empty.
 */
const ethTransaction = struct("EthTransaction", {
  from: evmAddress,
  to: evmAddress,
  data: lowerCase,
  value: int,
  gas: int,
  gas_price: int,
  chain_id: int,
  nonce: int,
  max_fee_per_gas: int,
  max_priority_fee_per_gas: int,
  max_fee_per_blob_gas: int,
  fee_currency: evmAddress,
  type: oneOf("LEGACY", "TYPE_1", "TYPE_2", "TYPE_3", "TYPE_4", "TYPE_123"),
  function_name: string,
  function_signature: spelled("selector"),
  contract_call_args: map(dynamic),
})

/**
 * `eth.eip_712`: typed data to be signed. An absent member of the domain is `''`, an absent chain id 0. Values of the
 * message are of their Solidity types, however the client spells them; addresses, bytes and bytes1 to bytes32 are caseless.
 */
const ethTypedData = struct("EthTypedData", {
  primary_type: string,
  domain: struct("EthTypedDataDomain", {
    name: string,
    version: string,
    verifying_contract: evmAddress,
    chain_id: uint,
  }),
  message: map(dynamic),
})

/**
 * `eth.user_op`: a user operation of ERC-4337 to be signed, by itself or as typed data of `PackedUserOperation`. Version 0.9 reads `0.8`:
 * the two have one hash. `calls` are those of `call_data`, read as common accounts read it; where they cannot be read, a policy that
 * reads them refuses the request. `factory` is the factory that creates the account, or the contract that it has delegated its code
 * to; it and `paymaster` are `''` where there is none.
 */
const ethUserOperation = struct("EthUserOperation", {
  entry_point: evmAddress,
  entry_point_version: oneOf("0.6", "0.7", "0.8"),
  chain_id: int,
  sender: evmAddress,
  nonce: int,
  factory: evmAddress,
  init_code: lowerCase,
  call_data: lowerCase,
  calls: list(
    struct("UserOperationCall", {
      to: evmAddress,
      value: int,
      data: lowerCase,
      function_name: string,
      function_signature: spelled("selector"),
      contract_call_args: map(dynamic),
    }),
  ),
  call_gas_limit: int,
  verification_gas_limit: int,
  pre_verification_gas: int,
  max_fee_per_gas: int,
  max_priority_fee_per_gas: int,
  paymaster: evmAddress,
  paymaster_data: lowerCase,
})

/** `eth.eip_7702_authorization`: an account that delegates itself to a contract. */
const ethAuthorization = struct("EthAuthorization", {
  address: evmAddress,
  chain_id: { kind: "int", quotable: true },
  nonce: { kind: "int", quotable: true },
})

/**
 * `tempo.tx`: a Tempo transaction to be signed. `to` is `''` where a contract is created, `function_signature` where
 * the input is too short for one; bounds of validity that are not set are 0.
 */
const tempoTransaction = struct("TempoTransaction", {
  chain_id: int,
  nonce: int,
  gas_limit: int,
  max_fee_per_gas: int,
  max_priority_fee_per_gas: int,
  from: evmAddress,
  fee_token: evmAddress,
  valid_before: int,
  valid_after: int,
  calls: list(struct("TempoCall", { to: evmAddress, input: caseless, function_signature: string })),
})

/** `bitcoin.tx`: a Bitcoin transaction to be signed. Amounts in satoshi. The fee is inputs minus outputs. */
const bitcoinTransaction = struct("BitcoinTransaction", {
  version: string,
  inputs: list(struct("BitcoinInput", { tx_id: bareHex, vout: int, sequence: int })),
  outputs: list(
    struct("BitcoinOutput", {
      value: int,
      script_pubkey: bareHex,
      address: spelled("bitcoin-address"),
      address_type: { ...caseless, values: ["P2PKH", "P2SH", "P2WPKH", "P2WSH", "P2TR", ""] },
    }),
  ),
  locktime: struct("BitcoinLocktime", { amount: int, type: oneOf("Seconds", "Blocks") }),
  fee: int,
})

const permission = struct("TronPermission", {
  type: oneOf("Owner", "Witness", "Active"),
  id: int,
  threshold: int,
  parent_id: int,
  permission_name: string,
  operations: bareHex,
  keys: list(struct("TronKey", { address: tronAddress, weight: int })),
})

/** Fields of all contract types together; those that a type does not have are not used. */
const contract = struct(
  "TronContract",
  {
    type: oneOf(
      "TransferContract",
      "TransferAssetContract",
      "TriggerSmartContract",
      "AccountPermissionUpdateContract",
      "FreezeBalanceV2Contract",
      "UnfreezeBalanceV2Contract",
      "WithdrawExpireUnfreezeContract",
      "CancelAllUnfreezeV2Contract",
      "UnfreezeBalanceContract",
      "VoteWitnessContract",
      "WithdrawBalanceContract",
      "DelegateResourceContract",
      "UnDelegateResourceContract",
    ),
    permission_id: int,
    owner_address: tronAddress,
    to_address: tronAddress,
    amount: int,
    contract_address: tronAddress,
    data: bareHex,
    call_value: int,
    call_token_value: int,
    token_id: int,
    resource: oneOf("ENERGY", "BANDWIDTH"),
    balance: int,
    receiver_address: tronAddress,
    lock: bool,
    lock_period: int,
    frozen_balance: int,
    unfreeze_balance: int,
    asset_name: string,
    votes: list(struct("TronVote", { vote_address: tronAddress, vote_count: int })),
    // Fields of calls.
    function_name: string,
    function_signature: spelled("bare-selector"),
    contract_call_args: map(dynamic),
    owner: permission,
    witness: permission,
    actives: list(permission),
  },
  { partial: true },
)

/**
 * `tron.tx`: a Tron transaction with one contract, amounts in sun. Bytes, also of the memo `data`, are hexadecimal in lower
 * case without `0x`, addresses Base58Check. A call has its selector in `function_signature`. A call of a known function of tokens has
 * the function's name and arguments, such as `to` and `value`. Any other call has the name `''`.
 */
const tronTransaction = struct("TronTransaction", {
  ref_block_bytes: bareHex,
  ref_block_hash: bareHex,
  data: bareHex,
  expiration: int,
  timestamp: int,
  fee_limit: int,
  contract: list(contract),
})

const addressTableLookups = list(
  struct("AddressTableLookup", {
    address_table_key: solanaKey,
    writable_indexes: list(int),
    readonly_indexes: list(int),
  }),
)

const parsedInstructionData = struct(
  "ParsedInstructionData",
  {
    instruction_name: string,
    discriminator: bareHex,
    named_accounts: map(solanaKey),
    program_call_args: map(dynamic),
  },
  { aliases: { named_account: "named_accounts" } },
)

const instruction = struct("SolanaInstruction", {
  program_key: solanaKey,
  accounts: list(struct("SolanaAccount", { account_key: solanaKey, signer: bool, writable: bool })),
  instruction_data_hex: bareHex,
  address_table_lookups: addressTableLookups,
  parsed_instruction_data: parsedInstructionData,
})

/** A transfer of a token program. `from` and `to` are token accounts, not the wallets that own them. */
const splTransfer = struct("SPLTransfer", {
  from: solanaKey,
  to: { ...reference("token-account"), spelling: "solana-key" },
  amount: int,
  owner: solanaKey,
  signers: list(solanaKey),
  token_mint: solanaKey,
})

/**
 * `solana.tx`: a Solana transaction to be signed. Amounts in lamports, or in the smallest unit of a token. Only
 * instructions at the top level are seen. An account that comes from a lookup table reads `ADDRESS_TABLE_LOOKUP`. The
 * limits of version V1 are not used by other versions.
 */
const solanaTransaction = struct(
  "SolanaTransaction",
  {
    account_keys: list(solanaKey),
    program_keys: list(solanaKey),
    instructions: list(instruction),
    transfers: list(struct("SolanaTransfer", { from: solanaKey, to: solanaKey, amount: int })),
    spl_transfers: list(splTransfer),
    recent_blockhash: solanaKey,
    address_table_lookups: addressTableLookups,
    address_table_lookup_references: list(
      struct("AddressTableLookupReference", { address_table_key: solanaKey, index: int, writable: bool }),
    ),
    version: oneOf("LEGACY", "V0", "V1"),
    priority_fee_lamports: int,
    compute_unit_limit: int,
    loaded_accounts_data_size_limit: int,
    heap_size: int,
  },
  {
    aliases: {
      static_account_keys: "account_keys",
      top_level_program_keys: "program_keys",
      top_level_instructions: "instructions",
    },
  },
)

export const roots = {
  "eth.tx": ethTransaction,
  "eth.eip_712": ethTypedData,
  "eth.user_op": ethUserOperation,
  "eth.eip_7702_authorization": ethAuthorization,
  "solana.tx": solanaTransaction,
  "tron.tx": tronTransaction,
  "bitcoin.tx": bitcoinTransaction,
  "tempo.tx": tempoTransaction,
}
