import { WEBHOOK_KEYS_PATH, webhookKeySet } from "../../../signer/core/webhook/statement.ts"
import { type Handler, reply } from "../../common/context.ts"
import { unavailable } from "../errors.ts"
import type { Signer } from "../signer/signer.ts"

export { WEBHOOK_KEYS_PATH }

/** A deployment's key never changes. */
const CACHE_CONTROL = "public, max-age=86400, s-maxage=86400, stale-if-error=604800"

/** The key that signs notifications. It is asked for once. @throws ApiError 503 */
export function webhookKeys(signer: Pick<Signer, "getPins">): Handler {
  let text: string | undefined
  return async (context) => {
    if (text === undefined) {
      const { webhookPublicKey } = await signer.getPins()
      if (webhookPublicKey.length === 0)
        throw unavailable("the signer names no key of webhooks: it is of an earlier release")
      text = JSON.stringify(webhookKeySet(webhookPublicKey))
    }
    reply(context, text)
    context.set("Cache-Control", CACHE_CONTROL)
  }
}
