import type { CoreApi } from "./core-api.ts"

/** Results are reused this long, because /readyz needs no stamp. */
const REUSED_MS = 500

/** `core`: whether the API answers. `pins`: whether it is of the signer that this proxy is paired with. */
export type AuthProxyReadiness = { ready: boolean; core: string; pins: string }

type ReadinessDeps = {
  coreApi: Pick<CoreApi, "get">
  /** Setting; undefined: the proxy is not paired. */
  notarizerPublicKey: string | undefined
  /** Public half of the proxy's own key. */
  publicKey: string
}

/**
 * Checks whether requests can be served: the API answers, its signer is the paired one, and the signer knows this proxy.
 * The pins that the API relays prove nothing; statements are verified, and a false pin only makes the proxy wait.
 */
export function createReadiness(deps: ReadinessDeps): () => Promise<AuthProxyReadiness> {
  let known: { atMs: number; readiness: Promise<AuthProxyReadiness> } | undefined
  return () => {
    if (known === undefined || performance.now() - known.atMs > REUSED_MS)
      known = { atMs: performance.now(), readiness: check(deps) }
    return known.readiness
  }
}

async function check({ coreApi, notarizerPublicKey, publicKey }: ReadinessDeps): Promise<AuthProxyReadiness> {
  const relayed = await coreApi.get("/public/v1/pins").catch(() => undefined)
  if (relayed?.status !== 200) return { ready: false, core: "unreachable", pins: "unknown" }
  const found = JSON.parse(relayed.text) as { notarizerPublicKey?: unknown; authProxyPublicKey?: unknown }
  const pins = faultOf(found, notarizerPublicKey, publicKey) ?? "ok"
  return { ready: pins === "ok", core: "ok", pins }
}

function faultOf(
  found: { notarizerPublicKey?: unknown; authProxyPublicKey?: unknown },
  notarizerPublicKey: string | undefined,
  publicKey: string,
): string | undefined {
  if (notarizerPublicKey === undefined)
    return "this proxy is not paired: COUNTERSIGN_AUTH_PROXY_NOTARIZER_PUBLIC_KEY"
  if (found.notarizerPublicKey !== notarizerPublicKey)
    return "the API's signer is another one than COUNTERSIGN_AUTH_PROXY_NOTARIZER_PUBLIC_KEY names"
  if (found.authProxyPublicKey === publicKey) return undefined
  return "the signer does not know this proxy's key: COUNTERSIGN_SIGNER_AUTH_PROXY_PUBLIC_KEY"
}
