import { createPublicKey, type KeyObject } from "node:crypto"
import type { FetchOrder, Oauth2ExchangeTask } from "../../../proto/gen/countersign/signer/v1/fetcher_pb.ts"
import { openEnvelope } from "../../core/crypto/envelope.ts"
import { type KeySet, signMessage } from "../../core/crypto/keyset.ts"
import { p256PublicKey, uncompressP256 } from "../../core/crypto/p256.ts"
import { type RandomBytes, Secret, wiping } from "../../core/crypto/secret.ts"
import { readBoundSecret } from "../../core/fetch-orders/bound-secret.ts"
import { foreignSecret, unopenedSecret } from "../../core/fetch-orders/order.ts"
import { sealKey } from "../../core/fetch-orders/sealed-key-text.ts"
import type { StatedFact } from "../../core/fetch-orders/statement.ts"
import { writeIssuedToken } from "../../core/oidc/issued-token.ts"
import type { Network } from "../network.ts"
import { askProvider, readAccessToken, unusable } from "./ask-provider.ts"
import { type Oauth2Origins, type ProviderApi, providerApi } from "./providers.ts"

export type ExchangeDeps = {
  keySet: KeySet
  oauth2Origins: Oauth2Origins
  network: Network
  random: RandomBytes
}

const TOKEN_ID_LENGTH = 16

/**
 * Exchanges a code at its provider, reads there who the user is, and states an ID token about them. The client secret is
 * opened here alone, and only for the organization that it is bound to.
 *
 * @throws CLIENT_SECRET_INVALID, CLIENT_SECRET_OF_ANOTHER_ORGANIZATION, OAUTH2_REFUSED, OAUTH2_UNAVAILABLE
 */
export async function exchangeCode(
  { organizationId, issuedAtMs }: FetchOrder,
  task: Oauth2ExchangeTask,
  deps: ExchangeDeps,
): Promise<StatedFact> {
  const api = providerApi(task.provider)
  // The signer orders no other; a later one may.
  if (api === undefined) throw unopenedSecret()
  const authorization = basicAuthorization(task, organizationId, deps.keySet.encrypt.privateKey)
  const { network } = deps
  const origin = deps.oauth2Origins[api.origin]
  const token = await askProvider(
    { api, origin, path: api.tokenPath, authorization, body: formOf(task), read: readAccessToken },
    network,
  )
  const bearer = `Bearer ${token}`
  const user = await askProvider(
    { api, origin, path: api.userPath, authorization: bearer, read: api.readUser },
    network,
  )
  const { keySet, random } = deps
  const issued = {
    issuer: task.issuer,
    audience: task.clientId,
    provider: task.provider,
    userId: user.id,
    nonce: task.nonce,
    id: Buffer.from(random(TOKEN_ID_LENGTH)).toString("hex"),
    // By the signer's clock, which also reads the token.
    issuedAtMs: Number(issuedAtMs),
    email: user.email,
    encryptedBearerToken: sealBearerToken(token, task, api),
  }
  const publicKey = createPublicKey(keySet.sign)
  const oidcToken = writeIssuedToken(issued, publicKey, (message) => signMessage(keySet, message))
  return { case: "oauth2Exchanged", value: { oidcToken } }
}

/** RFC 6749 section 4.1.3, RFC 7636 section 4.5. X also wants the client id here. */
function formOf({ authCode, redirectUri, codeVerifier, clientId }: Oauth2ExchangeTask): string {
  return new URLSearchParams({
    grant_type: "authorization_code",
    code: authCode,
    redirect_uri: redirectUri,
    code_verifier: codeVerifier,
    client_id: clientId,
  }).toString()
}

/**
 * The client's id and secret (RFC 6749 section 2.3.1). HTTP headers are text, so the secret is in memory as text until
 * the request has ended.
 */
function basicAuthorization(
  { sealedSecret, clientId }: Oauth2ExchangeTask,
  organizationId: string,
  receiver: KeyObject,
): string {
  const opened = openEnvelope(receiver, sealedSecret)
  if (opened === undefined) throw unopenedSecret()
  return wiping([opened], () =>
    opened.use((text) => {
      const bound = readBoundSecret("client-secret", text)
      if (bound === undefined) throw unopenedSecret()
      if (bound.organizationId !== "" && bound.organizationId !== organizationId) throw foreignSecret()
      const secret = Buffer.from(bound.secret).toString()
      return `Basic ${Buffer.from(`${formEncoded(clientId)}:${formEncoded(secret)}`).toString("base64")}`
    }),
  )
}

/** application/x-www-form-urlencoded of one value. */
function formEncoded(value: string): string {
  return new URLSearchParams([["", value]]).toString().slice(1)
}

/** The access token for the application alone, in the form of published clients; undefined: the task names no key. */
function sealBearerToken(
  token: string,
  { bearerTokenTarget }: Oauth2ExchangeTask,
  api: ProviderApi,
): string | undefined {
  if (bearerTokenTarget.length === 0) return undefined
  const point = uncompressP256(bearerTokenTarget)
  const recipient = point && p256PublicKey(point)
  if (recipient === undefined) throw unusable(api)
  const text = Secret.moveFrom(new TextEncoder().encode(token))
  return wiping([text], () => sealKey(recipient, text))
}
