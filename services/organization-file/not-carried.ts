import { counted } from "../../signer/core/counted.ts"
import type { LiveOrganization, Missing } from "./live.ts"

/**
 * What the file of an organization at another service does not bring here, a line each. Nothing of our own service, whose file
 * describes the organization and does not move it.
 */
export function notCarried(
  { users, wallets, privateKeys }: Pick<LiveOrganization, "users" | "wallets" | "privateKeys">,
  missing: readonly Missing[],
): string[] {
  if (missing.length === 0) return []
  const passkeys = users.reduce((sum, { authenticators }) => sum + authenticators.length, 0)
  const kinds = [
    [passkeys, "passkey", "each works at its own site: its user registers another one"],
    [wallets.length, "wallet", "countersign config move brings wallets"],
    [privateKeys.length, "private key", "countersign config move brings private keys"],
  ] as const
  return [
    ...missing.map(({ part, query }) => `left out: ${part}, because this service has no ${query}`),
    ...kinds
      .filter(([number]) => number > 0)
      .map(([number, noun, way]) => `not in the file: ${counted(number, noun)}; ${way}`),
  ]
}
