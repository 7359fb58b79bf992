import { bool, string, uint } from "../../policy/language/types.ts"
import type { ShownByType } from "../../policy/parameters/shown-parameters.ts"

/** Amounts are read from decimal text. `slippage_bps` is not used where the request omits it. */
const quote = {
  sign_with: string,
  input_token: string,
  output_token: string,
  input_amount: uint,
  slippage_bps: uint,
}
const quotedSwap = {
  quote_id: string,
  input_token: string,
  output_token: string,
  input_amount: uint,
  quoted_output_amount: uint,
  min_output_amount: uint,
  sponsor: bool,
  evm_nonce: string,
  recent_blockhash: string,
}
const destination = { destination_address: string }

export const swap: ShownByType = {
  CREATE_SWAP_QUOTE: { fields: quote },
  CREATE_SWAP_QUOTE_V2: { fields: { ...quote, ...destination } },
  EXECUTE_SWAP: {
    fields: {
      input_token: string,
      output_token: string,
      input_amount: uint,
      min_output_amount: uint,
      wallet_account: string,
      sponsor: bool,
      slippage: uint,
      provider: string,
    },
  },
  EXECUTE_SWAP_V2: { fields: quotedSwap },
  EXECUTE_SWAP_V3: { fields: { ...quotedSwap, ...destination } },
}
