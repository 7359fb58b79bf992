import { type ApiClient, activityBody, query, type Querying, submit } from "../terminal-client/api-client.ts"
import { whoami } from "../terminal-client/whoami.ts"
import { CliError, ExitCode } from "../terminal-client/exit.ts"
import type { NamedKey } from "../terminal-client/key-folder.ts"

const WALLET_NAME = "First"
const ACCOUNT = {
  curve: "CURVE_SECP256K1",
  pathFormat: "PATH_FORMAT_BIP32",
  path: "m/44'/60'/0'/0/0",
  addressFormat: "ADDRESS_FORMAT_ETHEREUM",
}

type Identified = { user: { userId: string }; refusal?: never } | { user?: never; refusal: CliError }

/** The user of the client's key, or the refusal if organization or key is unknown. */
export async function identify(querying: Querying): Promise<Identified> {
  try {
    return { user: await whoami(querying) }
  } catch (error) {
    if (error instanceof CliError && error.code === ExitCode.refused) return { refusal: error }
    throw error
  }
}

/** Creates the users that the organization lacks. */
export async function missingUsers(
  client: ApiClient,
  organizationId: string,
  keys: readonly NamedKey[],
): Promise<void> {
  const { users } = await query<{ users: { userName: string }[] }>({ client, organizationId }, "list_users")
  const missing = keys.filter(({ name }) => !users.some((user) => user.userName === name))
  if (missing.length === 0) return
  const parameters = {
    users: missing.map(({ name, publicKey }) => ({
      userName: name,
      apiKeys: [{ apiKeyName: name, publicKey, curveType: "API_KEY_CURVE_P256" }],
      authenticators: [],
      oauthProviders: [],
      userTags: [],
    })),
  }
  const body = activityBody("ACTIVITY_TYPE_CREATE_USERS_V4", organizationId, parameters)
  await submit(client, "create_users", body)
}

/** Wallet First and its Ethereum address; creates it if absent. */
export async function firstWallet(
  client: ApiClient,
  organizationId: string,
): Promise<{ walletId: string; address: string }> {
  const querying = { client, organizationId }
  const { wallets } = await query<{ wallets: { walletId: string; walletName: string }[] }>(
    querying,
    "list_wallets",
  )
  let walletId = wallets.find(({ walletName }) => walletName === WALLET_NAME)?.walletId
  if (walletId === undefined) {
    const parameters = { walletName: WALLET_NAME, accounts: [ACCOUNT] }
    const body = activityBody("ACTIVITY_TYPE_CREATE_WALLET", organizationId, parameters)
    walletId = String((await submit(client, "create_wallet", body)).walletId)
  }
  const listed = { walletId }
  const { accounts } = await query<{ accounts: { address: string }[] }>(
    querying,
    "list_wallet_accounts",
    listed,
  )
  const [account] = accounts
  if (!account) throw new CliError(ExitCode.fault, `wallet ${WALLET_NAME} ${walletId} has no account`)
  return { walletId, address: account.address }
}
