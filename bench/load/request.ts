import { createPrivateKey, type KeyObject, randomBytes, sign } from "node:crypto"
import type { Target } from "./target.ts"

const PATH = "/public/v1/submit/sign_raw_payload"

/** Makes stamped signing requests, each with a time and a payload of its own, as bytes for the socket. */
export class RequestMaker {
  readonly #target: Target
  readonly #key: KeyObject

  constructor(target: Target) {
    this.#target = target
    this.#key = createPrivateKey(target.privateKeyPem)
  }

  make(): Buffer {
    const { organizationId, signWith, host, port } = this.#target
    const body = JSON.stringify({
      type: "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2",
      timestampMs: String(Date.now()),
      organizationId,
      parameters: {
        signWith,
        payload: randomBytes(32).toString("hex"),
        encoding: "PAYLOAD_ENCODING_HEXADECIMAL",
        hashFunction: "HASH_FUNCTION_NO_OP",
      },
    })
    const lines = [
      `POST ${PATH} HTTP/1.1`,
      `Host: ${host}:${port}`,
      "Content-Type: application/json",
      `Content-Length: ${body.length}`,
      `X-Stamp: ${this.#stamp(body)}`,
    ]
    return Buffer.from(`${lines.join("\r\n")}\r\n\r\n${body}`, "latin1")
  }

  #stamp(body: string): string {
    const content = {
      publicKey: this.#target.publicKeyHex,
      scheme: "SIGNATURE_SCHEME_TK_API_P256",
      signature: sign("sha256", Buffer.from(body), this.#key).toString("hex"),
    }
    return Buffer.from(JSON.stringify(content)).toString("base64url")
  }
}
