import { createPrivateKey, type KeyObject, sign } from "node:crypto"
import { Agent, request } from "node:http"
import type { StampKey } from "./documents.ts"

export type Origin = { host: string; port: number }
export type CallReply = { status: number; text: string }

/** Stamps requests and waits for answers, over persistent connections. */
export class StampingClient {
  readonly #origin: Origin
  readonly #publicKey: string
  readonly #key: KeyObject
  readonly #agent = new Agent({ keepAlive: true })

  constructor(origin: Origin, { publicKeyHex, privateKeyPem }: StampKey) {
    this.#origin = origin
    this.#publicKey = publicKeyHex
    this.#key = createPrivateKey(privateKeyPem)
  }

  /** `path`: what follows /public/v1/. */
  call(path: string, content: object): Promise<CallReply> {
    const body = JSON.stringify(content)
    const headers = { "content-length": Buffer.byteLength(body), "x-stamp": this.#stamp(body) }
    const options = {
      ...this.#origin,
      path: `/public/v1/${path}`,
      method: "POST",
      headers,
      agent: this.#agent,
    }
    return new Promise((resolve, reject) => {
      const call = request(options, (reply) => {
        const chunks: Buffer[] = []
        reply.on("data", (chunk: Buffer) => chunks.push(chunk))
        reply.once("error", reject)
        reply.once("end", () =>
          resolve({ status: reply.statusCode ?? 0, text: Buffer.concat(chunks).toString() }),
        )
      })
      call.once("error", reject)
      call.end(body)
    })
  }

  /** `path`: a submit operation. */
  submit(path: string, type: string, organizationId: string, parameters: object): Promise<CallReply> {
    const timestampMs = String(Date.now())
    return this.call(`submit/${path}`, {
      type: `ACTIVITY_TYPE_${type}`,
      timestampMs,
      organizationId,
      parameters,
    })
  }

  close(): void {
    this.#agent.destroy()
  }

  #stamp(body: string): string {
    const signature = sign("sha256", Buffer.from(body), this.#key).toString("hex")
    const scheme = "SIGNATURE_SCHEME_TK_API_P256"
    return Buffer.from(JSON.stringify({ publicKey: this.#publicKey, scheme, signature })).toString(
      "base64url",
    )
  }
}
