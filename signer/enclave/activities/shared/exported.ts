import { type RefusalName, refuse } from "../../../core/refusal.ts"

const CODES = {
  wallet: "WALLET_NOT_EXPORTED",
  "wallet account": "WALLET_ACCOUNT_NOT_EXPORTED",
  "private key": "PRIVATE_KEY_NOT_EXPORTED",
} as const satisfies Record<string, RefusalName>

/**
 * Requires that all keys to delete were exported; `field` names the list of their ids.
 * @throws WALLET_NOT_EXPORTED, WALLET_ACCOUNT_NOT_EXPORTED, PRIVATE_KEY_NOT_EXPORTED
 */
export function requireExported(
  kind: keyof typeof CODES,
  keys: readonly { id: string; exported: boolean }[],
  field: string,
): void {
  const index = keys.findIndex(({ exported }) => !exported)
  if (index === -1) return
  const sentence = `${kind} has not been exported: ${keys[index]?.id}; set deleteWithoutExport to delete it anyway`
  throw refuse(CODES[kind], sentence, { field: `${field}[${index}]` })
}
