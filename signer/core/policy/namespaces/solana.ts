import { bool, dynamic, int, list, map, reference, oneOf, string, struct } from "../language/types.ts"

const addressTableLookups = list(
  struct("AddressTableLookup", {
    address_table_key: string,
    writable_indexes: list(int),
    readonly_indexes: list(int),
  }),
)

const parsedInstructionData = struct(
  "ParsedInstructionData",
  {
    instruction_name: string,
    discriminator: string,
    named_accounts: map(string),
    program_call_args: map(dynamic),
  },
  { aliases: { named_account: "named_accounts" } },
)

const instruction = struct("SolanaInstruction", {
  program_key: string,
  accounts: list(struct("SolanaAccount", { account_key: string, signer: bool, writable: bool })),
  instruction_data_hex: string,
  address_table_lookups: addressTableLookups,
  parsed_instruction_data: parsedInstructionData,
})

/** A transfer of a token program. `from` and `to` are token accounts, not the wallets that own them. */
const splTransfer = struct("SPLTransfer", {
  from: string,
  to: reference("token-account"),
  amount: int,
  owner: string,
  signers: list(string),
  token_mint: string,
})

/**
 * `solana.tx`: a Solana transaction to be signed. Amounts in lamports, or in the smallest unit of a token. Only
 * instructions at the top level are seen. An account that comes from a lookup table reads `ADDRESS_TABLE_LOOKUP`. The
 * limits of version V1 are not used by other versions.
 */
export const solanaTransaction = struct(
  "SolanaTransaction",
  {
    account_keys: list(string),
    program_keys: list(string),
    instructions: list(instruction),
    transfers: list(struct("SolanaTransfer", { from: string, to: string, amount: int })),
    spl_transfers: list(splTransfer),
    recent_blockhash: string,
    address_table_lookups: addressTableLookups,
    address_table_lookup_references: list(
      struct("AddressTableLookupReference", { address_table_key: string, index: int, writable: bool }),
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
