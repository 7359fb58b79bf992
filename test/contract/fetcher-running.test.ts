import { readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { credentials, type ServiceError, status } from "@grpc/grpc-js"
import t from "tap"
import { RefusalCode } from "../../proto/gen/countersign/signer/v1/refusal_pb.ts"
import { isFresh, openStatement } from "../../signer/core/fetch-orders/order.ts"
import { isSignedTagged } from "../../signer/core/crypto/keyset.ts"
import { readFetcherKeys } from "../../signer/core/fetch-orders/pairing.ts"
import { type CertificateFiles, TestAuthority } from "../harness/certificates.ts"
import { newKeySet, orderBy } from "../harness/fetcher.ts"
import { issuerKey, keySetOf } from "../harness/id-token.ts"
import { freePort } from "../harness/free-port.ts"
import { RunningFetcher } from "../harness/running-fetcher.ts"
import { type WebServer, webServer } from "../harness/web-server.ts"

const notarizer = newKeySet()

t.test("the running fetcher", async (t) => {
  const server: WebServer = await webServer((request, response) => {
    const issuer = `http://localhost:${server.port}`
    const configuration = { issuer, jwks_uri: `${issuer}/keys` }
    response.end(request.url === "/keys" ? keySetOf(issuerKey()) : JSON.stringify(configuration))
  })
  const issuer = `http://localhost:${server.port}`
  const task = { case: "issuerKeys", value: { issuer } } as const
  const fetcher = new RunningFetcher()
  t.teardown(async () => {
    await fetcher.stop()
    await server.close()
  })
  const publicKey = await fetcher.publicKey()
  const settings = { NOTARIZER_PUBLIC_KEY: notarizer.publicHex, LOCAL_ISSUERS: issuer }
  await fetcher.start(settings)
  const client = fetcher.client()
  t.teardown(() => client.close())

  t.test("keeps its seed private and its public key across starts", async (t) => {
    t.match(readFetcherKeys(publicKey), { onRampPublicKey: /^0[23]/ })
    t.equal(fetcher.publicKeyFile, publicKey)
    const mode = (name: string) => statSync(join(fetcher.directory, "fetcher", name)).mode & 0o777
    t.equal(mode("seed"), 0o600)
    t.equal(mode("fetcher.sock"), 0o600)
    t.equal(mode("."), 0o700)
    t.equal(await fetcher.publicKey(), publicKey)
    t.notMatch(fetcher.log, readFileSync(join(fetcher.directory, "fetcher", "seed")).toString("hex"))
  })

  t.test("returns an issuer's keys, and logs that it may reach the local network", async (t) => {
    const { statement: signed } = await client.call.fetch({ order: orderBy(notarizer, task, Date.now()) })
    const key = readFetcherKeys(publicKey)!.sign
    const statement = openStatement(signed, (...parts) => isSignedTagged(key, ...parts))
    t.match(statement?.finding, { case: "issuerKeys", value: { issuer, keysUrl: `${issuer}/keys` } })
    t.ok(statement && isFresh(statement, Date.now()))
    t.match(fetcher.log, /"level":"warn"[^\n]*not public/)
  })

  t.test("states that it may not ask an issuer that is not listed", async (t) => {
    const elsewhere = { case: "issuerKeys", value: { issuer: "https://accounts.example" } } as const
    const { statement } = await client.call.fetch({ order: orderBy(notarizer, elsewhere, Date.now()) })
    const key = readFetcherKeys(publicKey)!.sign
    const opened = openStatement(statement, (...parts) => isSignedTagged(key, ...parts))
    t.match(opened?.finding, { case: "refused", value: { code: RefusalCode.ISSUER_NOT_ALLOWED } })
  })

  t.test("refuses with its code, also an order from before its start", async (t) => {
    const refusal = (order: ReturnType<typeof orderBy>) =>
      client.call
        .fetch({ order })
        .catch((error: ServiceError) => error.metadata.get("countersign-refusal")[0])
    const order = orderBy(notarizer, task, Date.now())
    t.ok(await client.call.fetch({ order }))
    t.equal(await refusal(order), "FETCH_ORDER_SPENT")
    t.equal(await refusal(orderBy(newKeySet(), task, Date.now())), "FETCH_ORDER_FORGED")
    const unspent = orderBy(notarizer, task, Date.now())
    await fetcher.kill()
    await fetcher.start(settings)
    await client.ready(5_000)
    t.equal(await refusal(unspent), "FETCH_ORDER_SPENT")
  })
})

t.test("over a network the fetcher identifies its callers by their certificates", async (t) => {
  const fetcher = new RunningFetcher()
  t.teardown(() => fetcher.stop())
  const authority = await TestAuthority.create(join(fetcher.directory, "certificates"))
  const { certificateFile, keyFile, caFile } = await authority.issue("fetcher")
  const address = `localhost:${await freePort()}`
  await fetcher.start({
    LISTEN: address,
    TLS_CERTIFICATE_FILE: certificateFile,
    TLS_KEY_FILE: keyFile,
    TLS_CA_FILE: caFile,
  })
  const answerTo = async (files: CertificateFiles | undefined) => {
    const read = (file: string) => readFileSync(file)
    const channel = files
      ? credentials.createSsl(read(files.caFile), read(files.keyFile), read(files.certificateFile))
      : credentials.createSsl(read(caFile))
    const client = fetcher.client(address, channel)
    try {
      await client.call.fetch({})
      return "answered"
    } catch (error) {
      const { metadata, code } = error as ServiceError
      return metadata.get("countersign-refusal")[0] ?? code
    } finally {
      client.close()
    }
  }
  t.equal(await answerTo(await authority.issue("api")), "FETCHER_NOT_PAIRED", "heard, and not obeyed")
  t.equal(await answerTo(await authority.issue("worker")), "CALLER_UNKNOWN")
  t.equal(await answerTo(undefined), status.UNAVAILABLE)
})

t.test("the fetcher names every faulty setting and does not start", async (t) => {
  const fetcher = new RunningFetcher()
  t.teardown(() => fetcher.stop())
  await t.rejects(
    fetcher.start({ NOTARIZER_PUBLIC_KEY: "04" }),
    /ended with 2[^]*NOTARIZER_PUBLIC_KEY: must be/,
  )
  await t.rejects(fetcher.start({ ISSUER: "typo" }), /ended with 2[^]*ISSUER: there is no such setting/)
})
