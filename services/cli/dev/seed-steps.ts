import { z } from "zod"
import { type ApiClient, activityBody, post, submit } from "../api-client.ts"
import { CliError, ExitCode } from "../exit.ts"
import type { NamedKey } from "../key-folder.ts"

const WhoAmI = z.object({ organizationId: z.string(), userId: z.string() })
const Users = z.object({ users: z.array(z.object({ userName: z.string() })) })
const Wallets = z.object({ wallets: z.array(z.object({ walletId: z.string(), walletName: z.string() })) })
const Accounts = z.object({ accounts: z.array(z.object({ address: z.string() })) })

const WALLET_NAME = "First"
const ACCOUNT = {
  curve: "CURVE_SECP256K1",
  pathFormat: "PATH_FORMAT_BIP32",
  path: "m/44'/60'/0'/0/0",
  addressFormat: "ADDRESS_FORMAT_ETHEREUM",
}

type Identified = { user: z.output<typeof WhoAmI>; refusal?: never } | { user?: never; refusal: CliError }

/** The user of the client's key, or the refusal if organization or key is unknown. */
export async function identify(client: ApiClient, organizationId: string): Promise<Identified> {
  try {
    return { user: WhoAmI.parse(await query(client, "whoami", { organizationId })) }
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
  const { users } = Users.parse(await query(client, "list_users", { organizationId }))
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
  await submit(
    client,
    "create_users",
    activityBody("ACTIVITY_TYPE_CREATE_USERS_V4", organizationId, parameters),
  )
}

/** Wallet First and its Ethereum address; creates it if absent. */
export async function firstWallet(
  client: ApiClient,
  organizationId: string,
): Promise<{ walletId: string; address: string }> {
  const { wallets } = Wallets.parse(await query(client, "list_wallets", { organizationId }))
  let walletId = wallets.find(({ walletName }) => walletName === WALLET_NAME)?.walletId
  if (walletId === undefined) {
    const parameters = { walletName: WALLET_NAME, accounts: [ACCOUNT] }
    const body = activityBody("ACTIVITY_TYPE_CREATE_WALLET", organizationId, parameters)
    walletId = String((await submit(client, "create_wallet", body)).walletId)
  }
  const { accounts } = Accounts.parse(
    await query(client, "list_wallet_accounts", { organizationId, walletId }),
  )
  const [account] = accounts
  if (!account) throw new CliError(ExitCode.fault, `wallet ${WALLET_NAME} ${walletId} has no account`)
  return { walletId, address: account.address }
}

async function query(client: ApiClient, name: string, body: object): Promise<unknown> {
  return post(client, `/public/v1/query/${name}`, JSON.stringify(body))
}
