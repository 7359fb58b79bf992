import type { GetAuthProxyConfigurationRequest } from "../../../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { AuthProxyStatementSchema } from "../../../../../proto/gen/countersign/state/v1/auth_proxy_pb.ts"
import { AUTH_PROXY_TAG } from "../../../../core/auth-proxy/statement.ts"
import { unusableMethods } from "../../../../core/auth-proxy/unusable-methods.ts"
import { refuse } from "../../../../core/refusal.ts"
import { SuppliedDocuments } from "../../../execution/state/organizations.ts"
import type { SignerContext } from "../../../rpc/context.ts"
import { readId, readNonce } from "../../../rpc/read-fields.ts"
import { signStatement } from "../../../rpc/signed-statement.ts"

/** States the current configuration of an auth proxy, or names the document that is needed. */
export async function getAuthProxyConfiguration(
  request: GetAuthProxyConfigurationRequest,
  context: SignerContext,
) {
  const { organizations, keyring, nowMs, oidcIssuer = "" } = context.state()
  const nonce = readNonce(request.nonce)
  const organizationId = readId(request.organizationId, "organizationId")
  const supplied = new SuppliedDocuments(request.documents, keyring.notary)
  const organization = organizations.findRelated(organizationId, supplied)
  if (organization === undefined) return { documents: [organizations.documentNeeded(organizationId)] }
  const { document } = organization
  const { authProxy, version: documentVersion, name: organizationName } = document
  if (authProxy === undefined) {
    const sentence = `organization ${organizationId} has no auth proxy: enable_auth_proxy makes one`
    throw refuse("AUTH_PROXY_CONFIG_UNKNOWN", sentence)
  }
  const { configId, userId, publicKey, sealedPrivateKey, settings } = authProxy
  const config = { configId, userId, enabled: publicKey !== "", publicKey, ...(settings && { settings }) }
  const stated = { organizationId, documentVersion, organizationName, config, sealedPrivateKey, nonce }
  const { fetcherPublicKey } = keyring.pins
  const means = { hasFetcher: fetcherPublicKey !== "", issuer: oidcIssuer }
  const unusable = { unusableMethods: unusableMethods(document, means) }
  const statement = { ...stated, ...unusable, oidcIssuer, fetcherPublicKey, statedAtMs: BigInt(nowMs()) }
  return signStatement(AUTH_PROXY_TAG, AuthProxyStatementSchema, statement, keyring)
}
