import { createPrivateKey } from "node:crypto"
import type { AuthProxy, OrganizationDocument } from "../../proto/gen/countersign/state/v1/document_pb.ts"
import { openProxyKey } from "../../signer/core/auth-proxy/sealed-key.ts"
import { p256PrivateKey } from "../../signer/core/crypto/p256.ts"
import { newKey, type TestKey } from "./stamper.ts"

/** Own key of the auth proxy that test signers are paired with. */
export const proxyOwnKey = newKey()

/** Setting of a signer that is paired with it. */
export const authProxyPairing = { COUNTERSIGN_SIGNER_AUTH_PROXY_PUBLIC_KEY: proxyOwnKey.publicKeyHex }

/** The auth proxy of an organization that has enabled one at some time. */
export function proxyOf({ authProxy }: Pick<OrganizationDocument, "authProxy">): AuthProxy {
  if (authProxy === undefined) throw new Error("this organization never enabled the auth proxy")
  return authProxy
}

/** The organization's proxy key, opened with an own key; undefined: it does not open. */
export function openedKey(
  { organizationId, ...document }: Pick<OrganizationDocument, "organizationId" | "authProxy">,
  { privateKey } = proxyOwnKey,
): TestKey | undefined {
  const { configId, publicKey, sealedPrivateKey } = proxyOf(document)
  const scalar = openProxyKey(privateKey, { organizationId, configId, publicKey }, sealedPrivateKey)
  if (scalar === undefined) return undefined
  const opened = p256PrivateKey(scalar)
  return {
    publicKeyHex: publicKey,
    privateKey: createPrivateKey(opened.export({ type: "pkcs8", format: "pem" })),
  }
}
