import { readFetcherKeys } from "../../../signer/core/fetch-orders/pairing.ts"
import { ownConfiguration, ownKeySet } from "../../../signer/core/oidc/issued-token.ts"
import { ApiError, GrpcCode } from "../../common/api-error.ts"
import { type Handler, reply } from "../../common/context.ts"
import type { Signer } from "../signer/signer.ts"

type Issuer = Pick<Signer, "getPins">

/** OpenID Connect Discovery 1.0 section 4. */
export const CONFIGURATION_PATH = "/.well-known/openid-configuration"

/**
 * The service as an issuer of ID tokens, for others who accept them. The signer does not read these pages: it knows its
 * fetcher's key. @throws ApiError 404, 503
 */
export function issuerConfiguration(signer: Issuer): Handler {
  return async (context) => {
    const { issuer } = await issuerOf(signer)
    reply(context, JSON.stringify(ownConfiguration(issuer)))
  }
}

/** The key that signs the service's ID tokens. @throws ApiError 404, 503 */
export function issuerKeySet(signer: Issuer): Handler {
  return async (context) => {
    const { publicKey } = await issuerOf(signer)
    reply(context, JSON.stringify(ownKeySet(publicKey)))
  }
}

async function issuerOf(signer: Issuer) {
  const { pins, oidcIssuer: issuer } = await signer.getPins()
  const publicKey = readFetcherKeys(pins?.fetcherPublicKey ?? "")?.sign
  if (issuer !== "" && publicKey !== undefined) return { issuer, publicKey }
  throw new ApiError(
    GrpcCode.notFound,
    "this service issues no ID tokens: the operator sets COUNTERSIGN_SIGNER_OIDC_ISSUER",
    { publicCode: "OAUTH2_PROVIDER_NOT_CONFIGURED", reason: "OAUTH2_ISSUER_UNCONFIGURED" },
  )
}
