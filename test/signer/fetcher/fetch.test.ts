import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { create, fromBinary, toBinary } from "@bufbuild/protobuf"
import { encryptOauth2ClientSecret } from "@turnkey/crypto"
import t from "tap"
import {
  FetchOrderSchema,
  type FetchRefused,
  FetchStatementSchema,
  type SignedFetchOrder,
  SignedFetchOrderSchema,
  type SignedStatement,
} from "../../../proto/gen/countersign/signer/v1/fetcher_pb.ts"
import { RefusalCode } from "../../../proto/gen/countersign/signer/v1/refusal_pb.ts"
import { openStatement, ORDER_TAG } from "../../../signer/core/fetch-orders/order.ts"
import { isSignedTagged, readPublicKeySet, signTagged } from "../../../signer/core/crypto/keyset.ts"
import type { Fetcher } from "../../../signer/fetcher/fetch.ts"
import { internet } from "../../../signer/fetcher/network.ts"
import { TestAuthority } from "../../harness/certificates.ts"
import { newFetcher, newKeySet, orderBy, relay } from "../../harness/fetcher.ts"
import { type WebServer, webServer } from "../../harness/web-server.ts"

const notarizer = newKeySet()
const NOW = Date.UTC(2026, 0, 1)

t.test("signs a statement with the order's digest, organization and times", async (t) => {
  const fetcher = newFetcher(notarizer.publicHex, () => NOW)
  const sealed = await sealedTo(fetcher.keySet.publicHex)
  const order = orderBy(notarizer, secretTask(sealed), NOW)
  const { statement: signed } = await relay(order, fetcher)
  const key = readPublicKeySet(fetcher.keySet.publicHex)!.sign
  const statement = openStatement(signed, (...parts) => isSignedTagged(key, ...parts))
  t.match(statement, {
    orderDigest: createHash("sha256").update(order.order).digest(),
    organizationId: "0199aaaa-0000-7000-8000-000000000000",
    fetchedAtMs: BigInt(NOW),
    expiresAtMs: BigInt(NOW + 3_600_000),
    finding: {
      case: "clientSecret",
      value: { sealedSecretDigest: createHash("sha256").update(sealed).digest() },
    },
  })
  t.notOk(Buffer.from(signed.statement).includes("top secret"))
  const stranger = readPublicKeySet(newKeySet().publicHex)!.sign
  t.equal(
    openStatement(signed, (...parts) => isSignedTagged(stranger, ...parts)),
    undefined,
  )
  t.equal(
    openStatement(undefined, () => true),
    undefined,
  )
})

t.test("carries out orders of the paired signer only", async (t) => {
  const fetcher = newFetcher(notarizer.publicHex, () => NOW)
  const task = secretTask(await sealedTo(fetcher.keySet.publicHex))
  const forged = { code: "FETCH_ORDER_FORGED" }
  await t.rejects(relay(orderBy(newKeySet(), task, NOW), fetcher), forged, "signed by somebody else")
  const good = orderBy(notarizer, task, NOW)
  for (const at of [0, 10, good.order.length - 1]) {
    const order = Uint8Array.from(good.order)
    order[at]! ^= 1
    await t.rejects(relay({ ...good, order }, fetcher), forged, `byte ${at} altered`)
  }
  await t.rejects(relay({ ...good, signature: new Uint8Array(64) }, fetcher), forged)
  const otherTag = { ...good, signature: signTagged(notarizer, "countersign/v1/receipt", good.order) }
  await t.rejects(relay(otherTag, fetcher), forged, "the notarizer's signature on something else")
  for (const empty of [
    { id: new Uint8Array(15) },
    { task: { case: undefined } },
    { requestFingerprint: new Uint8Array(0) },
  ]) {
    await t.rejects(relay(resigned(good, empty), fetcher), forged)
  }
  await t.rejects(relay(undefined as never, fetcher), forged)
  t.ok(await relay(good, fetcher))
})

t.test("without a paired signer it carries out nothing", async (t) => {
  const fetcher = newFetcher(undefined, () => NOW)
  const order = orderBy(notarizer, secretTask(await sealedTo(fetcher.keySet.publicHex)), NOW)
  await t.rejects(relay(order, fetcher), { code: "FETCHER_NOT_PAIRED" })
})

t.test("runs an order once, before it expires, and none issued before the start", async (t) => {
  let now = NOW
  const fetcher = newFetcher(notarizer.publicHex, () => now)
  const task = secretTask(await sealedTo(fetcher.keySet.publicHex))
  const spent = { code: "FETCH_ORDER_SPENT" }
  const order = orderBy(notarizer, task, NOW)
  t.ok(await relay(order, fetcher))
  await t.rejects(relay(order, fetcher), spent, "again")
  const waiting = orderBy(notarizer, task, NOW)
  now = NOW + 119_999
  t.ok(await relay(waiting, fetcher), "just in time")
  const late = orderBy(notarizer, task, NOW)
  now = NOW + 120_000
  await t.rejects(relay(late, fetcher), spent, "too late")
  await t.rejects(relay(order, fetcher), spent, "again, when its id may be forgotten")
  t.ok(await relay(orderBy(notarizer, task, now + 299_000), fetcher), "by a clock that is a little ahead")
  await t.rejects(relay(orderBy(notarizer, task, now + 301_000), fetcher), spent, "far ahead")
  await t.rejects(relay(orderBy(notarizer, task, NOW - 1), fetcher), spent, "of before its start")
  const lasting = resigned(orderBy(notarizer, task, now), { expiresAtMs: BigInt(now + 120_001) })
  await t.rejects(relay(lasting, fetcher), spent, "that would have to be remembered for longer")
})

t.test("keeps used orders however many orders follow", async (t) => {
  let now = NOW
  const fetcher = newFetcher(notarizer.publicHex, () => now)
  for (let id = 0; id < 2_000; id += 1) {
    now += 100
    const bytes = Buffer.alloc(16)
    bytes.writeUInt32BE(id)
    t.ok(fetcher.usedOrders.use(bytes, now + 120_000, now) || t.fail(`order ${id}`))
    if (id > 0) {
      bytes.writeUInt32BE(id - 1)
      if (fetcher.usedOrders.use(bytes, now + 120_000, now)) t.fail(`order ${id - 1} is spent twice`)
    }
  }
})

t.test("refuses every client secret that does not open, with one code", async (t) => {
  const fetcher = newFetcher(notarizer.publicHex, () => NOW)
  const { publicHex } = fetcher.keySet
  const good = await sealedTo(publicHex)
  const faulty: [what: string, sealed: Uint8Array][] = [
    ["sealed to another key", await sealedTo(newKeySet().publicHex)],
    [
      "sealed to the signing half",
      Buffer.from(await encryptOauth2ClientSecret("s", publicHex.slice(130)), "hex"),
    ],
    ["cut off", good.subarray(0, -1)],
    ["with a byte added", Buffer.concat([good, Buffer.from([0])])],
    ["empty", new Uint8Array(0)],
    ["that holds nothing", await sealedTo(publicHex, "")],
    ["bound to nothing", await sealedTo(publicHex, "countersign/v1/client-secret::s")],
  ]
  const sentences = new Set<string>()
  for (const [what, sealed] of faulty) {
    const order = orderBy(notarizer, secretTask(sealed), NOW)
    const { code, sentence } = refusedIn(await relay(order, fetcher))
    t.equal(code, RefusalCode.CLIENT_SECRET_INVALID, what)
    sentences.add(sentence)
    const ofEarlierSigner = resigned(orderBy(notarizer, secretTask(sealed), NOW), { readsRefusals: false })
    const refusal = await relay(ofEarlierSigner, fetcher).catch((e: unknown) => e)
    t.match(refusal, { code: "CLIENT_SECRET_INVALID" }, `${what}, for a signer that reads no refusals`)
    sentences.add((refusal as Error).message)
  }
  t.equal(sentences.size, 1)
})

t.test("states a refusal that repeating the task would not change, and no other", async (t) => {
  const issuerTask = (issuer: string) => ({ case: "issuerKeys", value: { issuer } }) as const
  const stated = async (issuer: string, fetcher: Fetcher) =>
    refusedIn(await relay(orderBy(notarizer, issuerTask(issuer), NOW), fetcher))
  const unlisted = newFetcher(notarizer.publicHex, () => NOW)
  t.match(await stated("https://accounts.example", unlisted), {
    code: RefusalCode.ISSUER_NOT_ALLOWED,
    sentence: "this service accepts no tokens of the OIDC issuer https://accounts.example",
  })
  const answers: { [status: number]: string } = {
    404: "ISSUER_INVALID",
    503: "FETCH_FAILED",
    408: "FETCH_FAILED",
  }
  for (const [status, code] of Object.entries(answers)) {
    const server = await webServer((_request, response) => void response.writeHead(Number(status)).end())
    const issuer = `http://127.0.0.1:${server.port}`
    const fetcher = newFetcher(notarizer.publicHex, () => NOW, { issuers: [issuer] })
    if (code === "ISSUER_INVALID") t.equal((await stated(issuer, fetcher)).code, RefusalCode[code])
    else await t.rejects(stated(issuer, fetcher), { code }, `status ${status}`)
    await server.close()
    await t.rejects(stated(issuer, fetcher), { code: "FETCH_FAILED" }, "nobody answers")
  }
  const long = `http://${"a".repeat(600)}.example/keys`
  const server: WebServer = await webServer((_request, response) => {
    response.end(JSON.stringify({ issuer: `http://127.0.0.1:${server.port}`, jwks_uri: long }))
  })
  t.teardown(() => server.close())
  const issuer = `http://127.0.0.1:${server.port}`
  const { code, sentence } = await stated(
    issuer,
    newFetcher(notarizer.publicHex, () => NOW, { issuers: [issuer] }),
  )
  t.equal(code, RefusalCode.ISSUER_NOT_ALLOWED)
  t.equal(sentence.length, 512, "the sentence is cut off")
})

t.test("states no refusal of an issuer whose reply ended early, however its length was given", async (t) => {
  const authority = await TestAuthority.create(t.testdir())
  const certificate = await authority.issue("issuer")
  const network = {
    resolve: async () => [{ address: "127.0.0.1", family: 4 }],
    isPublic: () => true,
    authorities: [readFileSync(certificate.caFile, "utf8")],
  }
  const unfinished = '{"issuer":"https://loc'
  const replies: { [what: string]: [head: string, body: string] } = {
    "less than its length": ["content-length: 400\r\n", unfinished],
    "chunks without the last one": ["transfer-encoding: chunked\r\n", `16\r\n${unfinished}\r\n`],
    "an unfinished chunk": ["transfer-encoding: chunked\r\n", `90\r\n${unfinished}`],
    "no length, closed in the middle": ["", unfinished],
    "no length, closed at once": ["", ""],
    "no length, announced to be closed": ["connection: close\r\n", unfinished],
  }
  for (const secure of [false, true])
    for (const [what, [head, body]] of Object.entries(replies))
      for (const end of ["end", "destroy"] as const) {
        const server = await webServer(
          ({ socket }) => {
            const sent = () => (end === "end" ? socket.end() : socket.destroy())
            socket.write(`HTTP/1.1 200 OK\r\n${head}\r\n${body}`, sent)
          },
          secure ? certificate : undefined,
        )
        const issuer = `${secure ? "https" : "http"}://localhost:${server.port}`
        const fetcher = newFetcher(notarizer.publicHex, () => NOW, { issuers: [issuer], network })
        const order = orderBy(notarizer, { case: "issuerKeys", value: { issuer } }, NOW)
        await t.rejects(relay(order, fetcher), { code: "FETCH_FAILED" }, `${issuer}: ${what}, ${end}`)
        await server.close()
      }
  // A whole reply that is no configuration is the issuer's own fault, and is stated.
  for (const body of [unfinished, "{}"]) {
    const server = await webServer((_request, response) => void response.end(body))
    const issuer = `http://localhost:${server.port}`
    const fetcher = newFetcher(notarizer.publicHex, () => NOW, { issuers: [issuer], network })
    const order = orderBy(notarizer, { case: "issuerKeys", value: { issuer } }, NOW)
    t.equal(refusedIn(await relay(order, fetcher)).code, RefusalCode.ISSUER_INVALID, body)
    await server.close()
  }
})

t.test("states no refusal that rests on a name server's answer", async (t) => {
  const issuer = "https://accounts.example"
  const resolve = async () => [{ address: "10.0.0.1", family: 4 }]
  const fetcher = newFetcher(notarizer.publicHex, () => NOW, { network: { ...internet, resolve } })
  const listed = { ...fetcher, egress: { issuers: new Set([issuer]), localIssuers: new Set<string>() } }
  const order = orderBy(notarizer, { case: "issuerKeys", value: { issuer } }, NOW)
  await t.rejects(relay(order, listed), { code: "ISSUER_ADDRESS_NOT_PUBLIC" })
})

/** The refusal in a statement. */
function refusedIn({ statement }: { statement: SignedStatement }): FetchRefused {
  const { finding } = fromBinary(FetchStatementSchema, statement.statement)
  if (finding.case !== "refused") throw new Error(`the statement is about ${finding.case}`)
  return finding.value
}

function secretTask(sealedSecret: Uint8Array) {
  return { case: "clientSecret", value: { sealedSecret } } as const
}

async function sealedTo(publicHex: string, text = "top secret"): Promise<Uint8Array> {
  return Buffer.from(await encryptOauth2ClientSecret(text, publicHex.slice(0, 130)), "hex")
}

/** The same order with something changed, signed by the signer itself. */
function resigned(signed: SignedFetchOrder, changes: object): SignedFetchOrder {
  const order = toBinary(
    FetchOrderSchema,
    create(FetchOrderSchema, { ...fromBinary(FetchOrderSchema, signed.order), ...changes }),
  )
  return create(SignedFetchOrderSchema, { order, signature: signTagged(notarizer, ORDER_TAG, order) })
}

t.test("a statement is read as it was signed, and not as anything else", async (t) => {
  const fetcher = newFetcher(notarizer.publicHex, () => NOW)
  const task = secretTask(await sealedTo(fetcher.keySet.publicHex))
  const { statement } = await relay(orderBy(notarizer, task, NOW), fetcher)
  const key = readPublicKeySet(fetcher.keySet.publicHex)!.sign
  t.notOk(isSignedTagged(key, ORDER_TAG, statement.statement, statement.signature), "as an order")
  const altered = create(FetchStatementSchema, {
    ...fromBinary(FetchStatementSchema, statement.statement),
    expiresAtMs: BigInt(NOW + 7_200_000),
  })
  const other = { ...statement, statement: toBinary(FetchStatementSchema, altered) }
  t.equal(
    openStatement(other, (...parts) => isSignedTagged(key, ...parts)),
    undefined,
  )
})
