// The signer's readers and the words of requests. Loaded when the first request is shown.
import { type ReadBody, readBodyText } from "../../../signer/core/request/read-body.ts"
import { sha256Hex } from "../../../signer/core/words/values.ts"
import type { WholeActivityJson } from "../../common/activity-json.ts"

export { interfacesForWords, statedInterfaces } from "../../../signer/core/words/interfaces.ts"
export { hasCalls, wordsOfRequest } from "../../../signer/core/words/request.ts"

/**
 * The request of an activity, as the signer reads the body that has its fingerprint; undefined: the API shows no such body. Stamps
 * are verified where a request is shown alone.
 */
export function requestOf({ votes, fingerprint }: WholeActivityJson): ReadBody | undefined {
  const { message = "" } = votes[0] ?? {}
  if (fingerprint !== `sha256:${sha256Hex(message)}`) return undefined
  try {
    return readBodyText(message)
  } catch {
    return undefined
  }
}
