import { readAuthorization } from "../../payload/authorization.ts"
import { type Members, members } from "../expression.ts"

/** The root `eth.eip_7702_authorization`, of the JSON text that is signed. @throws {PayloadFault} */
export function authorizationValue(text: string): Members {
  const { address, chainId, nonce } = readAuthorization(text)
  return members({ address, chain_id: chainId, nonce })
}
