import { bool, string, uint } from "../../policy/language/types.ts"
import type { ShownByType } from "../../policy/parameters/shown-parameters.ts"

export const earn: ShownByType = {
  EARN_DEPOSIT: {
    fields: { wrapper_address: string, sign_with: string, assets: uint, chain: string, sponsor: bool },
  },
  EARN_WITHDRAW: {
    // `amount_value` is text: `MAX` is an amount too.
    fields: {
      wrapper_address: string,
      sign_with: string,
      chain: string,
      amount_value: string,
      sponsor: bool,
    },
  },
  EARN_DEPLOY_WRAPPER: {
    fields: { vault_address: string, chain: string, client_fee_bps: uint, client_fee_wallet: string },
  },
  EARN_SET_WRAPPER_STATE: { fields: { wrapper_address: string, deposits_disabled: bool } },
  EARN_CLAIM_REWARDS: { fields: { sign_with: string, chain: string, sponsor: bool } },
  CLAIM_EARN_FEES: { fields: { wrapper_address: string } },
}
