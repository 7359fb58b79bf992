import { createPrivateKey, type KeyObject, randomBytes, sign } from "node:crypto"
import type { Target } from "./target.ts"

const PATH = "/public/v1/submit/sign_raw_payload"

/** Makes stamped signing requests, each with a time and a payload of its own, as bytes for the socket. */
export class RequestMaker {
  readonly #target: Target
  readonly #stamper: Stamper
  #next: number

  /** @param first number of the first request, by which its signer is chosen */
  constructor(target: Target, first = 0) {
    this.#target = target
    this.#stamper = new Stamper(target)
    this.#next = first
  }

  make(): Buffer {
    const { inTurn = [], signWith: only } = this.#target
    const signWith = inTurn[this.#next++ % inTurn.length] ?? only
    return this.#stamper.request(PATH, signingBody({ ...this.#target, signWith }))
  }
}

/** Body of a signing request of version 2 with a new payload. */
export function signingBody({ organizationId, signWith }: Target): string {
  return JSON.stringify({
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
}

/** Stamps bodies with the key of a target. */
export class Stamper {
  readonly #target: Target
  readonly #key: KeyObject

  constructor(target: Target) {
    this.#target = target
    this.#key = createPrivateKey(target.privateKeyPem)
  }

  /** A whole HTTP request, as bytes for the socket. `body` is ASCII. */
  request(path: string, body: string): Buffer {
    const { host, port } = this.#target
    const lines = [
      `POST ${path} HTTP/1.1`,
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
