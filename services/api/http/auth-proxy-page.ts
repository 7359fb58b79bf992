import type { ClientConnection } from "../../common/client-address.ts"
import { type Handler, reply } from "../../common/context.ts"
import { RateLimit } from "../../common/rate-limit.ts"
import type { ConfigurationRequest } from "../signer/auth-proxy-configuration.ts"

/** Rate limits: each statement costs a signature of the signer, and the request for it is not stamped. */
const OF_ADDRESS = { perSecond: 100, burst: 500 }
const OF_ALL = { perSecond: 500, burst: 1000 }

type AuthProxyPageDeps = {
  /** The signer's statement, JSON text. */
  ask: (request: ConfigurationRequest) => Promise<string>
  /** Name of the request's address; "" for an unknown one. */
  addressOf: (request: ClientConnection) => string
}

/** Answers auth proxies: the configuration with the id of the path, stated for the nonce of the query. */
export function authProxyPage({ ask, addressOf }: AuthProxyPageDeps): Handler {
  const [ofAll, ofAddress] = [new RateLimit(OF_ALL), new RateLimit(OF_ADDRESS)]
  return async (context) => {
    ofAddress.take(addressOf(context.req))
    ofAll.take("")
    const configId = context.path.slice(context.path.lastIndexOf("/") + 1)
    const { nonce } = context.query
    reply(context, await ask({ configId, nonce: typeof nonce === "string" ? nonce : "" }))
  }
}
