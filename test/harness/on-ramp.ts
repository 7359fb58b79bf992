import { generateKeyPairSync } from "node:crypto"

/** Seals a key as published clients do: a fetcher of the tests. */
type Sealer = { sealOnRampKey(key: string): Promise<string> }

/** A MoonPay credential, sealed as published clients do. `changes`: members of the request. */
export async function moonPayCredential(fetcher: Sealer, changes: object = {}) {
  return {
    onrampProvider: "FIAT_ON_RAMP_PROVIDER_MOONPAY",
    publishableApiKey: "pk_test_NotARealKey",
    encryptedSecretApiKey: await fetcher.sealOnRampKey("sk_test_NotARealKey0123456789"),
    sandboxMode: true,
    ...changes,
  }
}

/** Id of Coinbase's secret API key in these tests. */
export const COINBASE_KEY_ID = "8f2b1c9e-0000-4000-8000-000000000001"

/** A Coinbase credential of this private key. */
export async function coinbaseCredential(fetcher: Sealer, privateKey: string, changes: object = {}) {
  return {
    onrampProvider: "FIAT_ON_RAMP_PROVIDER_COINBASE",
    projectId: "project",
    publishableApiKey: "client-api-key",
    encryptedSecretApiKey: await fetcher.sealOnRampKey(COINBASE_KEY_ID),
    encryptedPrivateApiKey: await fetcher.sealOnRampKey(privateKey),
    ...changes,
  }
}

/** A new private key in the two forms that Coinbase issues, with its public key. */
export function coinbaseKey(type: "ES256" | "EdDSA") {
  if (type === "ES256") {
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
    return { publicKey, text: privateKey.export({ format: "pem", type: "sec1" }).toString() }
  }
  const { privateKey, publicKey } = generateKeyPairSync("ed25519")
  const { d = "", x = "" } = privateKey.export({ format: "jwk" })
  const bytes = Buffer.concat([Buffer.from(d, "base64url"), Buffer.from(x, "base64url")])
  return { publicKey, text: bytes.toString("base64") }
}

/** Parameters of a purchase at MoonPay's sandbox. */
export function purchase<Changes extends object>(changes?: Changes) {
  return {
    onrampProvider: "FIAT_ON_RAMP_PROVIDER_MOONPAY",
    walletAddress: "0x9858EfFD232B4033E47d90003D41EC34EcaEda94",
    network: "FIAT_ON_RAMP_BLOCKCHAIN_NETWORK_ETHEREUM",
    cryptoCurrencyCode: "FIAT_ON_RAMP_CRYPTO_CURRENCY_ETH",
    sandboxMode: true,
    ...changes,
  }
}
