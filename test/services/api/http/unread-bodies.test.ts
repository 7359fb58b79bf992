// A body is read only once the form of its stamp was accepted: what is read is counted in bytes at the server's end.
import { once } from "node:events"
import t from "tap"
import { LONG_BODY_BYTES, sendLongBody } from "../../../harness/long-body.ts"
import { ORGANIZATION_ID } from "../documents.ts"
import { signBody } from "../prepared.ts"
import { makeKey, stamp } from "../stamps.ts"
import { startApi } from "../start-api.ts"
import { HOST, openSocket, readAnswer } from "./raw-requests.ts"

/** Buffers of the socket and of Node: what was sent is read in pieces of 64 KiB, and reading stops a piece later. */
const MAX_READ_BYTES = 256 * 1024

const SUBMIT = "/public/v1/submit/sign_raw_payload"
const QUERY = "/public/v1/query/whoami"

t.jobs = 4
const api = await startApi(t, { bodyLimitBytes: LONG_BODY_BYTES })
const port = Number(new URL(api.url).port)
const key = makeKey()

const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url")
const part = {
  publicKey: key.publicKey,
  scheme: "SIGNATURE_SCHEME_TK_API_P256",
  signature: "3006020101020101",
}
const passkey = { authenticatorData: "AA", clientDataJson: "AA", credentialId: "AA", signature: "AA" }

/** Headers whose form is that of no stamp, by the reason of their refusal. */
const BAD: readonly (readonly [name: string, reason: string, headers: { [name: string]: string }])[] = [
  ["no stamp", "STAMP_MISSING", {}],
  ["an empty stamp", "STAMP_MISSING", { "X-Stamp": "" }],
  ["no base64url", "STAMP_MALFORMED", { "X-Stamp": "!" }],
  ["base64url of no JSON", "STAMP_MALFORMED", { "X-Stamp": "AAAA" }],
  ["base64url of a list", "STAMP_MALFORMED", { "X-Stamp": base64url([part]) }],
  ["too long", "STAMP_MALFORMED", { "X-Stamp": "A".repeat(3000) }],
  ["no signature", "STAMP_MALFORMED", { "X-Stamp": base64url({ ...part, signature: undefined }) }],
  [
    "an unknown scheme",
    "STAMP_SCHEME_UNKNOWN",
    { "X-Stamp": base64url({ ...part, scheme: "SIGNATURE_SCHEME_X" }) },
  ],
  ["a key of another length", "STAMP_MALFORMED", { "X-Stamp": base64url({ ...part, publicKey: "02ab" }) }],
  [
    "a key of another curve",
    "STAMP_MALFORMED",
    { "X-Stamp": base64url({ ...part, scheme: "SIGNATURE_SCHEME_TK_API_ED25519" }) },
  ],
  [
    "a signature that is not DER",
    "STAMP_MALFORMED",
    { "X-Stamp": base64url({ ...part, signature: "abcd" }) },
  ],
  [
    "two stamps",
    "STAMP_MALFORMED",
    { "X-Stamp": base64url(part), "X-Stamp-WebAuthn": JSON.stringify(passkey) },
  ],
  ["a passkey's stamp of no JSON", "STAMP_MALFORMED", { "X-Stamp-WebAuthn": "{" }],
  ["a passkey's stamp, too long", "STAMP_MALFORMED", { "X-Stamp-WebAuthn": "A".repeat(9000) }],
  [
    "a passkey's stamp without credential",
    "STAMP_MALFORMED",
    { "X-Stamp-WebAuthn": JSON.stringify({ ...passkey, credentialId: "" }) },
  ],
  [
    "a passkey's member that is not base64url",
    "STAMP_MALFORMED",
    { "X-Stamp-WebAuthn": JSON.stringify({ ...passkey, signature: "!" }) },
  ],
  ["an attested stamp of no JSON", "STAMP_MALFORMED", { "X-Stamp-Attested": "{" }],
  ["an attested stamp of an unknown scheme", "STAMP_SCHEME_UNKNOWN", { "X-Stamp-Attested": base64url(part) }],
]

/** Refused beside the stamps, by headers alone. */
const SESSIONS = [
  [SUBMIT, "READ_ONLY_SESSION_SUBMITS", { "X-Session": "a.b.c" }],
  [QUERY, "READ_ONLY_SESSION_INVALID", { "X-Session": "a.b.c" }],
] as const

const headOf = (path: string, headers: { readonly [name: string]: string }) =>
  `POST ${path} HTTP/1.1\r\n${HOST}${Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("")}`

const reasonOf = ({ details }: { details?: unknown }) =>
  (details as { reason?: string }[]).find(({ reason }) => reason !== undefined)?.reason

const cases = [
  ...[SUBMIT, QUERY].flatMap((path) =>
    BAD.map(([name, reason, headers]) => ({ name: `${name}, ${path}`, path, reason, headers })),
  ),
  ...SESSIONS.map(([path, reason, headers]) => ({ name: `a session, ${path}`, path, reason, headers })),
]

t.test(
  "W32: nothing is read of a long body beside headers that are no stamp, and the answer is as for a small one",
  async (t) => {
    await Promise.all(
      cases.map(async ({ name, path, reason, headers }) => {
        const { text, bytesRead } = await sendLongBody(port, headOf(path, headers))
        const { status, headers: answered, json } = readAnswer(text)
        t.equal(reasonOf(json), reason, name)
        t.equal(answered.get("connection"), "close", name)
        t.ok(bytesRead < MAX_READ_BYTES, `${name}: ${bytesRead} bytes were read`)
        const body =
          path === QUERY
            ? JSON.stringify({ organizationId: ORGANIZATION_ID })
            : JSON.stringify(signBody("small"))
        const small = await api.send(path, { method: "POST", headers, body })
        t.match({ status: small.status, reason: reasonOf(small.json) }, { status, reason }, name)
        t.equal(small.json["message"], json["message"], name)
      }),
    )
  },
)

t.test("W32: an endless body of unknown length is not read either", async (t) => {
  const chunk = `${LONG_BODY_BYTES.toString(16)}\r\n`
  const { text, bytesRead } = await sendLongBody(
    port,
    headOf(SUBMIT, {}),
    `Transfer-Encoding: chunked\r\n\r\n${chunk}`,
  )
  t.equal(reasonOf(readAnswer(text).json), "STAMP_MISSING")
  t.ok(bytesRead < MAX_READ_BYTES)
})

t.test("W32: paths that read no body read none of a long one", async (t) => {
  for (const path of ["/public/v1/submit/no_such_operation", "/livez", "/public/v1/query/whoami/"]) {
    const { text, bytesRead } = await sendLongBody(port, headOf(path, {}))
    t.match(text, /^HTTP\/1\.1 40[45] /, path)
    t.ok(bytesRead < MAX_READ_BYTES, path)
  }
})

t.test("a well-formed stamp has its body read whole, whatever it is worth", async (t) => {
  const head = headOf(SUBMIT, { "X-Stamp": base64url(part), Connection: "close" })
  const { text, bytesRead } = await sendLongBody(port, head)
  t.match(text, /^HTTP\/1\.1 4\d\d /)
  t.ok(bytesRead > LONG_BODY_BYTES)
})

t.test("after a refusal with a small body the connection serves the next request", async (t) => {
  const socket = await openSocket(port)
  const body = JSON.stringify(signBody("small"))
  socket.write(`${headOf(SUBMIT, {})}Content-Length: ${body.length}\r\n\r\n${body}`)
  const [first] = (await once(socket, "data")) as [Buffer]
  t.equal(readAnswer(first.toString()).status, 401)
  socket.write(`GET /livez HTTP/1.1\r\n${HOST}\r\n`)
  const [second] = (await once(socket, "data")) as [Buffer]
  t.match(readAnswer(second.toString()), { status: 200, json: { live: true } })
  socket.destroy()
})

t.test("a caller who waits with the body is asked for it only with a well-formed stamp", async (t) => {
  const body = JSON.stringify({ organizationId: ORGANIZATION_ID })
  const ask = async (headers: { [name: string]: string }) => {
    const socket = await openSocket(port)
    socket.write(`${headOf(QUERY, headers)}Expect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n`)
    const [first] = (await once(socket, "data")) as [Buffer]
    return { socket, first: first.toString() }
  }
  const refused = await ask({})
  t.equal(readAnswer(refused.first).status, 401, "no interim answer comes before it")
  t.equal(readAnswer(refused.first).headers.get("connection"), "close")
  refused.socket.destroy()
  const { socket, first } = await ask({ "X-Stamp": stamp(key, body) })
  t.equal(first, "HTTP/1.1 100 Continue\r\n\r\n")
  socket.write(body)
  const [answer] = (await once(socket, "data")) as [Buffer]
  t.match(readAnswer(answer.toString()).json["message"], /no organization found/, "the body was read")
  socket.destroy()
})
