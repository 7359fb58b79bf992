import { generateKeyPairSync, hash, sign } from "node:crypto"
import { verifySessionJwtSignature } from "@turnkey/crypto"
import t from "tap"
import { p256Point } from "../../../../signer/core/crypto/p256.ts"
import {
  type ReadOnlySession,
  requireReadOnlySession,
  writeReadOnlySession,
} from "../../../../signer/core/session/read-only-session.ts"
import { writeSessionToken } from "../../../../signer/enclave/proof/session-token.ts"

const newSigner = () => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const signMessage = (message: Uint8Array) =>
    sign("sha256", message, { key: privateKey, dsaEncoding: "ieee-p1363" })
  return { publicKey, signMessage }
}
const { publicKey, signMessage } = newSigner()

const session: ReadOnlySession = {
  organizationId: "0199cccc-0000-7000-8000-000000000001",
  userId: "0199cccc-0000-7000-8000-000000000002",
  credential: "webauthn:~>?é".padEnd(60, "a"),
  openedAtMs: 1_790_000_000_000,
  expiresAtMs: 1_790_003_600_000,
}
const text = writeReadOnlySession(session, signMessage)
const [header = "", payload = "", signature = ""] = text.split(".")

t.test("what was written is read, until the second in which it expires", async (t) => {
  t.same(requireReadOnlySession(text, publicKey, session.expiresAtMs - 1), session)
  t.throws(() => requireReadOnlySession(text, publicKey, session.expiresAtMs), {
    code: "READ_ONLY_SESSION_EXPIRED",
  })
  const uneven = { ...session, openedAtMs: session.openedAtMs + 999, expiresAtMs: session.expiresAtMs + 999 }
  t.same(requireReadOnlySession(writeReadOnlySession(uneven, signMessage), publicKey, 0), session)
})

t.test("published clients verify its signature and read its claims", async (t) => {
  t.ok(await verifySessionJwtSignature(text, Buffer.from(p256Point(publicKey)).toString("hex")))
  t.match(JSON.parse(atob(payload)), {
    exp: 1_790_003_600,
    public_key: session.credential,
    session_type: "SESSION_TYPE_READ_ONLY",
    user_id: session.userId,
    organization_id: session.organizationId,
  })
})

t.test("A4: no other text is a read-only session", async (t) => {
  const claims = { exp: 1_790_003_600, iat: 1_790_000_000, session_type: "SESSION_TYPE_READ_ONLY" }
  const owner = { public_key: "a", user_id: session.userId, organization_id: session.organizationId }
  const signed = (members: object, head: string = header) => {
    const body = `${head}.${Buffer.from(JSON.stringify(members)).toString("base64url")}`
    return writtenAs(body)
  }
  const login = writeSessionToken(
    {
      expiresAtMs: 1_790_003_600_000n,
      publicKey: "02".padEnd(66, "a"),
      userId: session.userId,
      organizationId: session.organizationId,
      scope: { sessionProfileId: "p", name: "SESSION_TYPE_READ_ONLY", condition: "true" },
    },
    signMessage,
  )
  t.doesNotThrow(() => requireReadOnlySession(signed({ ...claims, ...owner }), publicKey, 0), "the twin")
  const texts: { [what: string]: string } = {
    nothing: "",
    "no token": "x.y.z",
    "a fourth part": `${text}.`,
    "the token of a login whose profile has the name of the type": login,
    "another key's": writeReadOnlySession(session, newSigner().signMessage),
    "a header without algorithm": signed(
      { ...claims, ...owner },
      encoded({ alg: "none", typ: "read-only-session+jwt" }),
    ),
    "the header of a login": signed({ ...claims, ...owner }, encoded({ alg: "ES256", typ: "JWT" })),
    "a signature left out": `${header}.${payload}.`,
    "another spelling of the signature": `${header}.${payload}.${signature}==`,
    "a signature over the text itself, as ES256 has it": singlyHashed({ ...claims, ...owner }),
    "twice, joined": `${text}, ${text}`,
    "another session type": signed({ ...claims, ...owner, session_type: "SESSION_TYPE_READ_WRITE" }),
    "no user": signed({ ...claims, ...owner, user_id: "root" }),
    "no organization": signed({ ...claims, public_key: "a", user_id: session.userId }),
    "no credential": signed({ ...claims, ...owner, public_key: "" }),
    "an expiry in words": signed({ ...claims, ...owner, exp: "1790003600" }),
    "no time of opening": signed({ ...owner, exp: claims.exp, session_type: claims.session_type }),
    "no JSON": writtenAs(`${header}.${Buffer.from("x").toString("base64url")}`),
    "too long": signed({ ...claims, ...owner, public_key: "a".repeat(4096) }),
  }
  for (const [what, other] of Object.entries(texts))
    t.throws(() => requireReadOnlySession(other, publicKey, 0), { code: "READ_ONLY_SESSION_INVALID" }, what)
  for (let at = 0; at < payload.length; at += 7) {
    const changed = payload[at] === "A" ? "B" : "A"
    const other = `${header}.${payload.slice(0, at)}${changed}${payload.slice(at + 1)}.${signature}`
    t.throws(() => requireReadOnlySession(other, publicKey, 0), { code: "READ_ONLY_SESSION_INVALID" })
  }
})

function encoded(members: object): string {
  return Buffer.from(JSON.stringify(members)).toString("base64url")
}

/** Signs as writeSessionToken does: over the digest of the text. */
function writtenAs(body: string): string {
  return `${body}.${Buffer.from(signMessage(hash("sha256", body, "buffer"))).toString("base64url")}`
}

function singlyHashed(members: object): string {
  const body = `${header}.${encoded(members)}`
  return `${body}.${Buffer.from(signMessage(Buffer.from(body))).toString("base64url")}`
}
