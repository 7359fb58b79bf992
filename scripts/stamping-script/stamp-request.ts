// The script of the collection at /docs/collection.json, which Postman and Bruno run before each request. It fills the
// variables into the body, stamps these bytes with the API key, and sets X-Stamp (docs/formats/stamp.md). `npm run generate`
// bundles it with its packages, because neither program offers ECDSA to scripts everywhere.
import { p256 } from "@noble/curves/nist.js"
import { base64urlnopad } from "@scure/base"
import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js"

/** Functions that Postman and Bruno both offer, under different names. */
type Client = {
  /** The text with the values of variables in it. */
  resolve(text: string): string
  body(): string
  replaceBody(text: string): void
  setHeader(name: string, value: string): void
}

declare const pm: {
  variables: { replaceIn(text: string): string }
  request: {
    body: { raw?: string; update(body: { mode: "raw"; raw: string }): void }
    headers: { upsert(header: { key: string; value: string }): void }
  }
}
declare const bru: { interpolate(text: string): string }
declare const req: {
  getBody(options: { raw: true }): string
  setBody(text: string, options: { raw: true }): void
  setHeader(name: string, value: string): void
}

const postman = (): Client => ({
  resolve: (text) => pm.variables.replaceIn(text),
  body: () => pm.request.body.raw ?? "",
  replaceBody: (raw) => pm.request.body.update({ mode: "raw", raw }),
  setHeader: (key, value) => pm.request.headers.upsert({ key, value }),
})

const bruno = (): Client => ({
  resolve: (text) => bru.interpolate(text),
  body: () => req.getBody({ raw: true }),
  replaceBody: (text) => req.setBody(text, { raw: true }),
  setHeader: (name, value) => req.setHeader(name, value),
})

// The script starts again for each request and signs once: a small table of multiples is made faster than the usual one.
p256.Point.BASE.precompute(4)

stampRequest(typeof bru === "undefined" ? postman() : bruno())

function stampRequest(client: Client): void {
  const secretKey = privateKey(client.resolve("{{API_PRIVATE_KEY}}"))
  const template = client.body().replaceAll("{{timestampMs}}", String(Date.now()))
  // Bruno sends JSON without spaces around it.
  const body = filled(client.resolve(template)).trim()
  client.replaceBody(body)
  const stamp = {
    publicKey: bytesToHex(p256.getPublicKey(secretKey)),
    scheme: "SIGNATURE_SCHEME_TK_API_P256",
    signature: bytesToHex(p256.sign(utf8(body), secretKey, { format: "der" })),
  }
  client.setHeader("X-Stamp", base64urlnopad.encode(utf8(JSON.stringify(stamp))))
}

function privateKey(value: string): Uint8Array {
  if (/^[0-9a-f]{64}$/i.test(value)) return hexToBytes(value)
  throw new Error(
    "the variable API_PRIVATE_KEY is not an API key: set it to 64 hexadecimal digits, such as API_PRIVATE_KEY in .env.local",
  )
}

function filled(body: string): string {
  const [, name] = /\{\{([^{}]+)\}\}/.exec(body) ?? []
  if (name === undefined) return body
  throw new Error(`the variable ${name} has no value: set it, or write the value into the body`)
}

/** Bruno has no TextEncoder in its safe mode. */
function utf8(text: string): Uint8Array {
  const bytes = encodeURIComponent(text).replace(/%(..)/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  )
  return Uint8Array.from(bytes, (character) => character.charCodeAt(0))
}
