import { caseless, reference } from "../../policy/language/types.ts"
import { id, type ShownByType, type ShownParameters, text } from "../../policy/parameters/shown-parameters.ts"

/** The target key is hexadecimal in either case. */
const exported: ShownParameters = {
  fields: { target_public_key: caseless },
  values: ({ targetPublicKey }) => ({ target_public_key: text(targetPublicKey) }),
}

export const parameters: ShownByType = {
  EXPORT_WALLET: exported,
  EXPORT_WALLET_ACCOUNT: exported,
  EXPORT_PRIVATE_KEY: exported,
  UPDATE_WALLET: {
    fields: { wallet_id: reference("wallet-id") },
    values: ({ walletId }) => ({ wallet_id: id(walletId) }),
  },
}
