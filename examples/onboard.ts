// Onboards a customer with the published client: a sub-organization with a wallet that only the customer can use, a
// login, and a signature in its session. Reads the values that `countersign dev` wrote into .env.local.
import { generateP256KeyPair } from "@turnkey/crypto"
import { Turnkey } from "@turnkey/sdk-server"
import { type Hex, hashMessage, recoverAddress, serializeSignature } from "viem"
import { explain, need } from "./development-values.ts"
import { print } from "./terminal.ts"
import { ETHEREUM } from "./users.ts"

const company = clientOf(need("ORGANIZATION_ID"), {
  publicKey: need("API_PUBLIC_KEY"),
  privateKey: need("API_PRIVATE_KEY"),
})

// The customer's device creates and keeps this key; the company sees only its public half. In a browser: a passkey.
const device = generateP256KeyPair()

const { subOrganizationId, wallet } = await company
  .createSubOrganization({
    subOrganizationName: `Customer ${new Date().toISOString()}`,
    rootQuorumThreshold: 1,
    rootUsers: [
      {
        userName: "customer",
        apiKeys: [{ apiKeyName: "device", publicKey: device.publicKey, curveType: "API_KEY_CURVE_P256" }],
        authenticators: [],
        oauthProviders: [],
      },
    ],
    wallet: { walletName: "Main", accounts: [ETHEREUM] },
  })
  .catch(explain)
const address = wallet?.addresses[0] as Hex
print(`customer's organization ${subOrganizationId}`)
print(`customer's address      ${address}`)

// A login: for 15 minutes a session key stamps instead of the device's key.
const sessionKey = generateP256KeyPair()
await clientOf(subOrganizationId, device).stampLogin({
  publicKey: sessionKey.publicKey,
  expirationSeconds: "900",
})
const session = clientOf(subOrganizationId, sessionKey)
const { username } = await session.getWhoami()
print(`logged in as            ${username}`)

const digest = hashMessage("buy two tickets")
const order = {
  signWith: address,
  payload: digest,
  encoding: "PAYLOAD_ENCODING_HEXADECIMAL",
  hashFunction: "HASH_FUNCTION_NO_OP",
} as const
const { r, s, v } = await session.signRawPayload(order)
const signature = serializeSignature({ r: `0x${r}`, s: `0x${s}`, yParity: Number.parseInt(v, 16) })
const signer = await recoverAddress({ hash: digest, signature })
if (signer !== address) throw new Error(`viem recovers ${signer}`)
print(`signed by the customer  ${signature}`)

const ofCompany = await company.signRawPayload({ ...order, organizationId: subOrganizationId }).then(
  () => "the company signed with its customer's key!",
  (error: Error) => `refused: ${error.message.split(" (Details")[0]}`,
)
print(`the company itself      ${ofCompany}`)
if (!ofCompany.startsWith("refused")) process.exitCode = 1

function clientOf(
  organizationId: string,
  { publicKey, privateKey }: { publicKey: string; privateKey: string },
) {
  return new Turnkey({
    apiBaseUrl: need("BASE_URL"),
    apiPublicKey: publicKey,
    apiPrivateKey: privateKey,
    defaultOrganizationId: organizationId,
  }).apiClient()
}
