import { generateKeyPairSync, hash, type KeyObject, sign } from "node:crypto"
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

/** An OpenID issuer on the loopback: discovery, one key, and tokens for anybody. */
export type LocalIssuer = {
  url: string
  /** An ID token of a person, bound to a session key by its nonce: the hexadecimal SHA-256 of the key's text. */
  token(subject: string, publicKeyHex: string): string
  stop(): Promise<void>
}

const AUDIENCE = "bench"
const LIFETIME_SECONDS = 600

export async function startIssuer(): Promise<LocalIssuer> {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const keys = JSON.stringify({
    keys: [{ ...publicKey.export({ format: "jwk" }), kid: "bench", use: "sig" }],
  })
  const server = createServer((request, response) => {
    response.end(request.url === "/keys" ? keys : JSON.stringify({ issuer: url, jwks_uri: `${url}/keys` }))
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const url = `http://localhost:${(server.address() as AddressInfo).port}`
  return {
    url,
    token(subject, publicKeyHex) {
      const now = Math.floor(Date.now() / 1000)
      const times = { iat: now, exp: now + LIFETIME_SECONDS }
      const nonce = hash("sha256", publicKeyHex, "hex")
      return signJwt({ iss: url, aud: AUDIENCE, sub: subject, nonce, ...times }, privateKey)
    },
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, "close")
    },
  }
}

/** RFC 7515 compact serialization, ES256. */
function signJwt(claims: object, key: KeyObject): string {
  const input = [{ alg: "ES256", typ: "JWT", kid: "bench" }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
    .join(".")
  const signature = sign("sha256", Buffer.from(input), { key, dsaEncoding: "ieee-p1363" })
  return `${input}.${signature.toString("base64url")}`
}
