import type { CoreReply } from "./core-api.ts"

/** An error reply of the core API, which the caller gets as it is. */
export class CoreRefusal extends Error {
  readonly reply: CoreReply

  constructor(reply: CoreReply) {
    super(`the core API answered ${reply.status}`)
    this.name = "CoreRefusal"
    this.reply = reply
  }

  /** Reason in the log. */
  get reason(): string {
    const { turnkeyErrorCode } = JSON.parse(this.reply.text) as { turnkeyErrorCode?: unknown }
    return typeof turnkeyErrorCode === "string" ? turnkeyErrorCode : "CORE_API_REFUSED"
  }
}
