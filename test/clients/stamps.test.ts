// Stampers of all four schemes at a published client. Those of P-256 and of wallets are published themselves; for
// plain secp256k1 there is none in JavaScript: that one is the test's.
import {
  createSignableMessage,
  generateKeyPairSigner,
  getAddressEncoder,
  type KeyPairSigner,
} from "@solana/kit"
import { ApiKeyStamper } from "@turnkey/api-key-stamper"
import { TurnkeyClient } from "@turnkey/http"
import { BaseEthereumWallet, WalletStamper, WalletType } from "@turnkey/wallet-stamper"
import t from "tap"
import { type Hex, hashMessage, recoverAddress } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { wallet } from "../e2e/wallets.ts"
import { ethereumAccount, signParams } from "../harness/api-client.ts"
import { CURVE_OF_SCHEME, newCurveKey, type Scheme, stampUnder } from "../harness/scheme-keys.ts"
import { sharedSystem } from "../harness/shared-system.ts"
import { newKey } from "../harness/stamper.ts"
import { privateKeyHex } from "../harness/system.ts"
import { sdkOf, toHex } from "./published.ts"

type Stamper = ConstructorParameters<typeof TurnkeyClient>[1]
/** A key of no user yet, and its stamper. */
type Holder = { publicKey: string; stamper: Stamper }

/** An Ethereum wallet, of which the published stamper learns the key from its signatures. */
class EthereumAccount extends BaseEthereumWallet {
  readonly account = privateKeyToAccount(generatePrivateKey())

  override signMessage(message: string): Promise<Hex> {
    return this.account.signMessage({ message })
  }
}

/** A Solana wallet as the published stamper wants it. */
class SolanaAccount {
  readonly type = WalletType.Solana
  readonly #signer: KeyPairSigner

  constructor(signer: KeyPairSigner) {
    this.#signer = signer
  }

  async getPublicKey(): Promise<string> {
    return Buffer.from(getAddressEncoder().encode(this.#signer.address)).toString("hex")
  }

  async signMessage(message: string): Promise<string> {
    const [signatures] = await this.#signer.signMessages([createSignableMessage(message)])
    return Buffer.from(signatures![this.#signer.address]!).toString("hex")
  }
}

const holders: Record<Scheme, () => Promise<Holder>> = {
  async SIGNATURE_SCHEME_TK_API_P256() {
    const key = newKey()
    const keys = { apiPublicKey: key.publicKeyHex, apiPrivateKey: privateKeyHex(key) }
    return { publicKey: key.publicKeyHex, stamper: new ApiKeyStamper(keys) }
  },
  async SIGNATURE_SCHEME_TK_API_SECP256K1() {
    const key = newCurveKey("API_KEY_CURVE_SECP256K1")
    const stamp = async (body: string) => ({
      stampHeaderName: "X-Stamp",
      stampHeaderValue: stampUnder(key, "SIGNATURE_SCHEME_TK_API_SECP256K1", body),
    })
    return { publicKey: key.publicKeyHex, stamper: { stamp } }
  },
  async SIGNATURE_SCHEME_TK_API_SECP256K1_EIP191() {
    const account = new EthereumAccount()
    return { publicKey: await account.getPublicKey(), stamper: new WalletStamper(account) }
  },
  async SIGNATURE_SCHEME_TK_API_ED25519() {
    const account = new SolanaAccount(await generateKeyPairSigner())
    return { publicKey: await account.getPublicKey(), stamper: new WalletStamper(account) }
  },
}

t.test("a published client stamps with keys of every curve", async (t) => {
  const system = await sharedSystem()
  const acme = await system.createOrganization()
  const { organizationId, root, rootUserId } = acme
  const address = await wallet(system, acme, "First")
  const sdk = sdkOf(system, organizationId, root)
  const clientOf = ({ stamper }: Holder) => new TurnkeyClient({ baseUrl: system.url }, stamper)
  const envelope = (id = organizationId) => ({ organizationId: id, timestampMs: String(Date.now()) })
  const sign = (client: TurnkeyClient, signWith: string, payload: string, id?: string) =>
    client.signRawPayload({
      type: "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2",
      ...envelope(id),
      parameters: signParams(signWith, payload) as never,
    })
  const apiKeyOf = (scheme: Scheme, { publicKey }: Holder) => ({
    apiKeyName: scheme,
    publicKey,
    curveType: CURVE_OF_SCHEME[scheme],
  })

  for (const [name, newHolder] of Object.entries(holders)) {
    const scheme = name as Scheme

    t.test(`${scheme}: a key added to a user`, async (t) => {
      const holder = await newHolder()
      const client = clientOf(holder)
      await t.rejects(client.getWhoami({ organizationId }), {
        code: 16,
        message: /could not find public key/,
      })
      await sdk.createApiKeys({ userId: rootUserId, apiKeys: [apiKeyOf(scheme, holder)] })
      t.match(await client.getWhoami({ organizationId }), { userId: rootUserId, username: "root" })
      const hash = hashMessage(scheme)
      const { activity } = await sign(client, address, hash)
      const { publicKey } = holder
      t.match(activity.votes, [
        { userId: rootUserId, scheme, publicKey, selection: "VOTE_SELECTION_APPROVED" },
      ])
      const signature = toHex(activity.result.signRawPayloadResult!)
      t.equal(await recoverAddress({ hash, signature }), address)
      const { apiKeys } = await client.getApiKeys({ organizationId, userId: rootUserId })
      const shown = apiKeys.find(({ credential }) => credential.publicKey === publicKey)
      const type = CURVE_OF_SCHEME[scheme].replace("API_KEY_CURVE", "CREDENTIAL_TYPE_API_KEY")
      t.match(shown, { apiKeyName: scheme, credential: { type } })
    })

    t.test(`${scheme}: a key created with its user`, async (t) => {
      const [holder, second] = [await newHolder(), await newHolder()]
      const contact = { authenticators: [], oauthProviders: [], userTags: [] }
      const user = { userName: `user ${scheme}`, apiKeys: [apiKeyOf(scheme, holder)], ...contact }
      const { userIds } = await sdk.createUsers({ users: [user] })
      const [userId = ""] = userIds
      const client = clientOf(holder)
      t.match(await client.getWhoami({ organizationId }), { userId, username: user.userName })
      await t.rejects(sign(client, address, hashMessage("not mine")), { code: 7 })
      const { activity } = await client.createApiKeys({
        type: "ACTIVITY_TYPE_CREATE_API_KEYS_V2",
        ...envelope(),
        parameters: { userId, apiKeys: [{ ...apiKeyOf(scheme, second), apiKeyName: "second" }] },
      })
      t.match(activity, { status: "ACTIVITY_STATUS_COMPLETED", votes: [{ userId, scheme }] })
      t.match(await clientOf(second).getWhoami({ organizationId }), { userId })
    })

    t.test(`${scheme}: a key of a sub-organization's root user`, async (t) => {
      const holder = await newHolder()
      const credentials = { apiKeys: [apiKeyOf(scheme, holder)], authenticators: [], oauthProviders: [] }
      const { subOrganizationId, wallet } = await sdk.createSubOrganization({
        subOrganizationName: scheme,
        rootUsers: [{ userName: "customer", ...credentials }],
        rootQuorumThreshold: 1,
        wallet: { walletName: "Default", accounts: [ethereumAccount(0) as never] },
      })
      const [signWith = ""] = wallet?.addresses ?? []
      const hash = hashMessage("mine")
      const { activity } = await sign(clientOf(holder), signWith, hash, subOrganizationId)
      const signature = toHex(activity.result.signRawPayloadResult!)
      t.equal(await recoverAddress({ hash, signature }), signWith)
    })
  }
})
