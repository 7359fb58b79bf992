import { readAccounts } from "./accounts.ts"
import { readApiKeys } from "./api-keys.ts"
import type { ReadContext } from "./resource.ts"

/** Root users of a new sub-organization, each with one API key and its name. @throws {CliError} usage */
export async function readRootUsers(texts: readonly string[], context: ReadContext): Promise<object[]> {
  const keys = (await readApiKeys(texts, context)) as { apiKeyName: string }[]
  return keys.map((key) => ({
    userName: key.apiKeyName,
    apiKeys: [key],
    authenticators: [],
    oauthProviders: [],
  }))
}

/** A wallet and its accounts: `First,ethereum,solana`. @throws {CliError} usage */
export async function readWallet(texts: readonly string[]): Promise<object> {
  const [walletName = "", ...accounts] = texts.join(",").split(",")
  return { walletName, accounts: await readAccounts(accounts) }
}
