import { reference } from "../language/types.ts"
import { id, type ShownByType } from "./shown-parameters.ts"

export const parameters: ShownByType = {
  UPDATE_WALLET: {
    fields: { wallet_id: reference("wallet-id") },
    values: ({ walletId }) => ({ wallet_id: id(walletId) }),
  },
}
