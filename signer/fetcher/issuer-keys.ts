import type { IssuerKeysTask } from "../../proto/gen/countersign/signer/v1/fetcher_pb.ts"
import type { StatedFact } from "../core/fetch-orders/statement.ts"
import { canonicalIssuer } from "../core/oidc/issuer.ts"
import { refuse } from "../core/refusal.ts"
import type { FetcherConfig } from "./config.ts"
import { downloadAs } from "./download.ts"
import type { Network } from "./network.ts"
import { configurationUrl, readKeySet, readKeysUrl } from "../core/oidc/key-set.ts"

export type Egress = Pick<FetcherConfig, "issuers" | "localIssuers">

/**
 * Downloads an issuer's keys: first its configuration, which must name the same issuer, then the key set at the URL it
 * names.
 *
 * @throws ISSUER_NOT_ALLOWED, ISSUER_ADDRESS_NOT_PUBLIC, ISSUER_INVALID, FETCH_FAILED
 */
export async function fetchIssuerKeys(
  { issuer }: IssuerKeysTask,
  egress: Egress,
  network: Network,
): Promise<StatedFact> {
  requireListed(issuer, egress)
  const isLocal = egress.localIssuers.has(issuer)
  const url = new URL(configurationUrl(issuer))
  const keysUrl = await downloadAs((body) => readKeysUrl(body, issuer), { url, isLocal }, network)
  // The operator allowed this one origin, not any other that it names.
  const isKeysLocal = isLocal && keysUrl.origin === url.origin
  const keys = await downloadAs(readKeySet, { url: keysUrl, isLocal: isKeysLocal }, network)
  const found = { issuer, configurationUrl: url.href, keysUrl: keysUrl.href, keys }
  return { case: "issuerKeys", value: found }
}

function requireListed(issuer: string, { issuers, localIssuers }: Egress): void {
  const isListed = issuers === "any" || issuers.has(issuer) || localIssuers.has(issuer)
  if (isListed && canonicalIssuer(issuer) === issuer) return
  throw refuse("ISSUER_NOT_ALLOWED", `this service accepts no tokens of the OIDC issuer ${issuer}`)
}
