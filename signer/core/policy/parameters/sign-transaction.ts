import { oneOf } from "../language/types.ts"
import type { ShownByType } from "./shown-parameters.ts"

export const parameters: ShownByType = {
  SIGN_TRANSACTION_V2: {
    fields: {
      type: oneOf(
        "TRANSACTION_TYPE_ETHEREUM",
        "TRANSACTION_TYPE_SOLANA",
        "TRANSACTION_TYPE_BITCOIN",
        "TRANSACTION_TYPE_TRON",
        "TRANSACTION_TYPE_TEMPO",
      ),
    },
  },
}
