import { createPrivateKey, type KeyObject, randomBytes, sign } from "node:crypto"
import { ethereumSigningHash } from "../../signer/core/transaction/ethereum/transaction.ts"
import { writeEthereumTransaction } from "../../signer/core/transaction/ethereum/write.ts"
import type { Signs, Target } from "./target.ts"

/** Makes stamped signing requests, each with a time and a payload of its own, as bytes for the socket. */
export class RequestMaker {
  readonly #target: Target
  readonly #stamper: Stamper
  #next: number

  /** @param first number of the first request, by which its signer and its transfer are chosen */
  constructor(target: Target, first = 0) {
    this.#target = target
    this.#stamper = new Stamper(target)
    this.#next = first
  }

  make(): Buffer {
    const number = this.#next++
    const { inTurn = [], signWith: only, signs = "payload" } = this.#target
    const signWith = inTurn[number % inTurn.length] ?? only
    const { path, body } = REQUESTS[signs]({ ...this.#target, signWith }, number)
    return this.#stamper.request(path, body)
  }
}

const PAYLOAD_PATH = "/public/v1/submit/sign_raw_payload"

const REQUESTS: Readonly<Record<Signs, (target: Target, number: number) => { path: string; body: string }>> =
  {
    payload: (target) => ({ path: PAYLOAD_PATH, body: signingBody(target) }),
    digest: (target, number) => {
      const digest = Buffer.from(ethereumSigningHash(transfer(number)))
      return { path: PAYLOAD_PATH, body: signingBody(target, digest) }
    },
    transfer: (target, number) => ({
      path: "/public/v1/submit/sign_transaction",
      body: transactionBody(target, Buffer.from(transfer(number)).toString("hex")),
    }),
    vault: () => ({
      path: "/v1/transit/sign/bench/sha2-256",
      body: JSON.stringify({ input: randomBytes(32).toString("base64"), prehashed: true }),
    }),
    name: (target, number) => ({
      path: "/public/v1/submit/update_organization_name",
      body: renamingBody(target, `Name ${number}`),
    }),
  }

/** A plain transfer on Ethereum's main chain, with a nonce of its own. */
function transfer(nonce: number): Uint8Array {
  return writeEthereumTransaction({
    chainId: 1n,
    nonce: BigInt(nonce),
    maxPriorityFeePerGas: 1_000_000n,
    maxFeePerGas: 30_000_000_000n,
    gas: 21_000n,
    to: "0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
    value: 10n ** 18n,
    data: "0x",
    authorizations: [],
  })
}

/** Body of a signing request of version 2, with a new payload unless one is given. */
export function signingBody({ organizationId, signWith }: Target, payload = randomBytes(32)): string {
  return JSON.stringify({
    type: "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2",
    timestampMs: String(Date.now()),
    organizationId,
    parameters: {
      signWith,
      payload: payload.toString("hex"),
      encoding: "PAYLOAD_ENCODING_HEXADECIMAL",
      hashFunction: "HASH_FUNCTION_NO_OP",
    },
  })
}

/** Body that signs an Ethereum transaction. @param unsignedTransaction hexadecimal without 0x */
export function transactionBody({ organizationId, signWith }: Target, unsignedTransaction: string): string {
  return JSON.stringify({
    type: "ACTIVITY_TYPE_SIGN_TRANSACTION_V2",
    timestampMs: String(Date.now()),
    organizationId,
    parameters: { signWith, unsignedTransaction, type: "TRANSACTION_TYPE_ETHEREUM" },
  })
}

/** Body that renames the organization. */
function renamingBody({ organizationId }: Target, organizationName: string): string {
  return JSON.stringify({
    type: "ACTIVITY_TYPE_UPDATE_ORGANIZATION_NAME",
    timestampMs: String(Date.now()),
    organizationId,
    parameters: { organizationName },
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

  /** A whole HTTP request, as bytes for the socket. `body` is ASCII. `stamp`: value of the header in place of the right one. */
  request(path: string, body: string, stamp?: string): Buffer {
    const { host, port, bearer } = this.#target
    const lines = [
      `POST ${path} HTTP/1.1`,
      `Host: ${host}:${port}`,
      "Content-Type: application/json",
      `Content-Length: ${body.length}`,
      bearer === undefined ? `X-Stamp: ${stamp ?? this.#stamp(body)}` : `X-Vault-Token: ${bearer}`,
    ]
    return Buffer.from(`${lines.join("\r\n")}\r\n\r\n${body}`, "latin1")
  }

  /** A stamp of the right form and key over other bytes. */
  wrongStamp(): string {
    return this.#stamp("another body")
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
