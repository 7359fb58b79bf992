import { OtpType, TurnkeyClient, type WalletAccount } from "@turnkey/core"
import { type Hex, hashMessage, recoverAddress, serializeSignature } from "viem"
import type { PageConfiguration } from "./configuration.ts"

/** The wallet of a new user. */
const WALLET = {
  walletName: "First",
  walletAccounts: [
    {
      curve: "CURVE_SECP256K1",
      pathFormat: "PATH_FORMAT_BIP32",
      path: "m/44'/60'/0'/0/0",
      addressFormat: "ADDRESS_FORMAT_ETHEREUM",
    },
  ],
} as const

/** The user who is logged in, and the account that they sign with. */
export type OpenWallet = {
  userName: string
  organizationId: string
  /** Unix milliseconds. */
  endsAtMs: number
  account: WalletAccount
}

/** The published kit, with this deployment's addresses and nothing else of ours. */
export async function startKit(configuration: PageConfiguration): Promise<TurnkeyClient> {
  const { apiUrl, authProxyUrl, authProxyConfigId, organizationId } = configuration
  const kit = new TurnkeyClient({
    apiBaseUrl: apiUrl,
    authProxyUrl,
    authProxyConfigId,
    organizationId,
    passkeyConfig: { rpId: location.hostname },
  })
  await kit.init()
  return kit
}

/** Sends a code. Returns the function that logs in with it, and signs new persons up. */
export async function sendCode(kit: TurnkeyClient, contact: string) {
  const otpType = OtpType.Email
  const sent = await kit.initOtp({ otpType, contact })
  return (otpCode: string) =>
    kit.completeOtp({ ...sent, otpCode, otpType, contact, createSubOrgParams: newUser(contact) })
}

export function createPasskey(kit: TurnkeyClient) {
  const name = `Passkey ${new Date().toISOString().slice(0, 19)}`
  return kit.signUpWithPasskey({ passkeyDisplayName: name, createSubOrgParams: newUser(name) })
}

/** Logs in with an ID token whose nonce is the digest of `publicKey`, and signs new persons up. */
export function useIdToken(kit: TurnkeyClient, oidcToken: string, publicKey: string) {
  const providerName = "Local issuer"
  return kit.completeOauth({ oidcToken, publicKey, providerName, createSubOrgParams: newUser(providerName) })
}

/** The wallet of the session; undefined: nobody is logged in. */
export async function openWallet(kit: TurnkeyClient): Promise<OpenWallet | undefined> {
  const session = await kit.getSession()
  if (session === undefined || session.expiry * 1000 < Date.now()) return undefined
  const [{ userName }, [wallet]] = await Promise.all([kit.fetchUser(), kit.fetchWallets()])
  const account = wallet?.accounts[0]
  if (account === undefined) throw new Error("This user has no wallet. Create one with create_wallet.")
  return { userName, organizationId: session.organizationId, endsAtMs: session.expiry * 1000, account }
}

/** A signature of the message, and the address that viem recovers from it. */
export async function sign(kit: TurnkeyClient, walletAccount: WalletAccount, message: string) {
  const { r, s, v } = await kit.signMessage({ message, walletAccount, addEthereumPrefix: true })
  const parts = { r: `0x${r}`, s: `0x${s}`, yParity: Number.parseInt(v, 16) } as const
  const signature: Hex = serializeSignature(parts)
  return { signature, signer: await recoverAddress({ hash: hashMessage(message), signature }) }
}

function newUser(userName: string) {
  return { userName, customWallet: { ...WALLET, walletAccounts: [...WALLET.walletAccounts] } }
}
