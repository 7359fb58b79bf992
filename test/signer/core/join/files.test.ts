// A process's files from the request to the installed certificate, with the operator's authority.
import * as fs from "node:fs"
import { createPrivateKey, X509Certificate } from "node:crypto"
import { join } from "node:path"
import t, { type Test } from "tap"
import { writeAnswer } from "../../../../signer/core/join/answer.ts"
import { JoinFault } from "../../../../signer/core/join/fault.ts"
import type { JoinCommand } from "../../../../signer/core/join/run.ts"
import { readRequest } from "../../../../signer/core/join/request.ts"
import {
  type NewCertificateTerms,
  writeCertificate,
} from "../../../../signer/operator/authority/certificate.ts"
import { CTRL_C, Host, SERVERS, Signer } from "./hosts.ts"

const DAY_MS = 24 * 60 * 60 * 1000

async function refusal(t: Test, run: Promise<unknown>, kind: string, message: RegExp): Promise<void> {
  const error = await run.then(
    () => undefined,
    (fault: unknown) => fault,
  )
  t.ok(error instanceof JoinFault)
  t.match(error, { kind, message }, String(message))
}

t.test("a request becomes three files and the settings of the process", async (t) => {
  const [host, signer] = [new Host(t), new Signer(t)]
  const request = await host.request()
  t.strictSame(host.names, ["api.key.new", "api.request"])
  for (const name of host.names) t.equal(fs.statSync(join(host.directory, name)).mode & 0o777, 0o600)
  t.match(host.logged[0], readRequest(request).words)
  const { lines, json, servers } = await host.run({ answer: signer.answer(request) })
  t.strictSame(host.names, ["api.crt", "api.key", "ca.crt"])
  for (const name of host.names) t.equal(fs.statSync(join(host.directory, name)).mode & 0o777, 0o600)
  t.equal(host.fault(), undefined)
  t.match(host.asked, [
    /^(?:[a-z]+-){7}[a-z]+\nDoes countersign-signer pair .* show the same words\? \[y\/N\] $/,
  ])
  t.strictSame(servers, SERVERS)
  const settings = {
    COUNTERSIGN_SIGNER_ADDRESS: "signer.internal:7443",
    COUNTERSIGN_SIGNER_CA_FILE: join(host.directory, "ca.crt"),
    COUNTERSIGN_SIGNER_CLIENT_CERTIFICATE_FILE: join(host.directory, "api.crt"),
    COUNTERSIGN_SIGNER_CLIENT_KEY_FILE: join(host.directory, "api.key"),
  }
  t.match(json, { name: "api", settings })
  for (const [name, value] of Object.entries(settings)) t.ok(lines.includes(`  ${name}=${value}`))
})

t.test("a server gets the settings of a server", async (t) => {
  const [host, signer] = [new Host(t), new Signer(t)]
  const request = await host.request({ name: "fetcher", address: "fetcher.internal:7444" })
  const { json } = await host.run({ name: "fetcher", answer: signer.answer(request) })
  t.equal(host.fault("fetcher"), undefined)
  t.match(json, {
    settings: {
      COUNTERSIGN_FETCHER_LISTEN: "fetcher.internal:7444",
      COUNTERSIGN_FETCHER_TLS_CERTIFICATE_FILE: join(host.directory, "fetcher.crt"),
      COUNTERSIGN_FETCHER_TLS_KEY_FILE: join(host.directory, "fetcher.key"),
      COUNTERSIGN_FETCHER_TLS_CA_FILE: join(host.directory, "ca.crt"),
    },
  })
})

t.test("every answer that does not fit is refused, and changes nothing", async (t) => {
  const [host, other, signer, stranger] = [new Host(t), new Host(t), new Signer(t), new Signer(t)]
  await t.test("an answer where nobody asked", async (t) => {
    const answer = signer.answer(await other.request({ name: "api" }))
    await refusal(t, new Host(t).run({ answer }), "refused", /no request of api waits for an answer here/)
  })
  const request = await host.request()
  const before = host.names
  const asServer = await new Host(t).request({ name: "fetcher", address: "a.internal:1" })
  const ofServer = signer.authority.issue(readRequest(asServer), Date.now())
  const strange = stranger.authority.certificate
  const own = new X509Certificate(signer.authority.issue(readRequest(request), Date.now()).raw)
  const ca = signer.authority.certificate
  const cases: [line: string, kind: string, message: RegExp][] = [
    [
      signer.answer(await other.request({ isRenewal: true })),
      "refused",
      /of another key than the one that waits here/,
    ],
    [writeAnswer({ certificate: ofServer, authority: ca, servers: [] }), "refused", /of another key/],
    [
      writeAnswer({ certificate: own, authority: strange, servers: [] }),
      "refused",
      /not signed by the authority beside it/,
    ],
    [
      writeAnswer({ certificate: own, authority: own, servers: [] }),
      "refused",
      /not signed by the authority/,
    ],
    [request, "usage", /wrong kind: a request belongs on the signer's host: countersign-signer pair/],
    [
      "countersign-join-answer.AAAA",
      "usage",
      /copy the whole line, which begins with countersign-join-answer\.$/,
    ],
    [
      writeAnswer({ certificate: own, authority: ca, servers: [...SERVERS] }).slice(0, -40),
      "usage",
      /copy the whole line/,
    ],
    ["", "usage", /copy the whole line/],
  ]
  for (const [answer, kind, message] of cases) await refusal(t, host.run({ answer }), kind, message)
  const answer = writeAnswer({ certificate: own, authority: ca, servers: [...SERVERS] })
  await t.test("an expired certificate, and one from the future", async (t) => {
    host.nowMs += 366 * DAY_MS
    await refusal(t, host.run({ answer }), "refused", /the certificate of api expired at/)
    host.nowMs -= 367 * DAY_MS
    await refusal(
      t,
      host.run({ answer }),
      "refused",
      /the certificate of api is valid from .*check the clock/,
    )
    host.nowMs += DAY_MS
  })
  await t.test("words that differ, or that nobody compared", async (t) => {
    host.reply = "n"
    await refusal(
      t,
      host.run({ answer }),
      "refused",
      /nothing was done\. If the words differ, somebody replaced/,
    )
    for (const reply of ["", CTRL_C]) {
      host.reply = reply
      await refusal(t, host.run({ answer }), "refused", /nothing was done/)
    }
    host.reply = undefined
    await refusal(t, host.run({ answer }), "usage", /there is no terminal to ask at: add --words/)
    await refusal(
      t,
      host.run({ answer, words: "a-b" }),
      "refused",
      /^the words are .*, not a-b: somebody replaced/,
    )
    host.reply = "y"
  })
  t.strictSame(host.names, before, "nothing was changed")
  await host.run({ answer })
  await refusal(
    t,
    host.run({ answer }),
    "refused",
    /this answer was used already: .*api\.crt is its certificate/,
  )
})

t.test("a certificate of another name, host or use is refused although its key fits", async (t) => {
  const signer = new Signer(t)
  const api = { name: "api", purpose: { kind: "caller" } } as const
  const fetcher = { name: "fetcher", purpose: { kind: "server", host: "fetcher.internal" } } as const
  const asFetcher = { name: "fetcher", address: "fetcher.internal:7444" }
  const cases: [
    asked: Partial<JoinCommand>,
    issued: Pick<NewCertificateTerms, "name" | "purpose">,
    message?: RegExp,
  ][] = [
    [{}, api],
    [asFetcher, fetcher],
    [{}, { ...api, name: "api-2" }, /its certificate is of CN=api-2, and api asked/],
    [{}, { ...fetcher, name: "api" }, /its certificate is not for a caller/],
    [{}, { ...api, purpose: { kind: "authority" } }, /its certificate is of CN=api, and api asked/],
    [asFetcher, { ...fetcher, name: "signer" }, /its certificate is of CN=signer, and fetcher asked/],
    [asFetcher, { ...api, name: "fetcher" }, /its certificate is not for a server/],
    [
      asFetcher,
      { ...fetcher, purpose: { kind: "server", host: "signer.internal" } },
      /does not name the host of fetcher\.internal:7444/,
    ],
  ]
  for (const [asked, issued, message] of cases) {
    const host = new Host(t)
    const { publicKey } = readRequest(await host.request(asked))
    const validity = { fromMs: Date.now() - DAY_MS, toMs: Date.now() + DAY_MS }
    const terms = { ...issued, ...validity, publicKey, serial: Uint8Array.of(1) }
    const certificate = new X509Certificate(writeCertificate(terms, signer.issuer))
    const answer = writeAnswer({ certificate, authority: signer.authority.certificate, servers: [] })
    const accepted = host.run({ ...asked, answer })
    if (message === undefined) await accepted
    else await refusal(t, accepted, "refused", message)
  }
})

t.test("a renewal leaves the files in use until its answer is here, and asks no words again", async (t) => {
  const [host, signer] = [new Host(t), new Signer(t)]
  await host.run({ answer: signer.answer(await host.request()) })
  const former = host.read("api.crt")
  await refusal(t, host.run(), "refused", /^api has a certificate, .*api\.crt, until 20.*: add --renew/)
  const request = await host.request({ isRenewal: true })
  t.strictSame(host.names, ["api.crt", "api.key", "api.key.new", "api.request", "ca.crt"])
  t.ok(host.read("api.crt").equals(former))
  t.equal(host.fault(), undefined)
  await host.run({ answer: signer.answer(request) })
  t.notOk(host.read("api.crt").equals(former))
  t.equal(host.fault(), undefined)
  t.equal(host.asked.length, 1, "the authority was known")
  await t.test("another authority is compared again", async (t) => {
    const { list } = signer.authority.revoke({ name: "api", serial: "0a" }, Date.now())
    fs.writeFileSync(join(host.directory, "ca.crl"), list)
    await host.run({ answer: signer.answer(await host.request({ isRenewal: true })) })
    t.ok(host.names.includes("ca.crl"), "a renewal keeps what is revoked")
    const line = await host.request({ isRenewal: true })
    await host.run({ answer: new Signer(t).answer(line) })
    t.equal(host.asked.length, 2)
    t.equal(host.fault(), undefined)
    t.notOk(
      host.names.includes("ca.crl"),
      "the new authority's certificates are in no list of the former one",
    )
  })
})

t.test("the last request counts: the answer to an earlier one is of another key", async (t) => {
  const [host, signer] = [new Host(t), new Signer(t)]
  const first = await host.request()
  const second = await host.request()
  await refusal(
    t,
    host.run({ answer: signer.answer(first) }),
    "refused",
    /take the answer to the last request/,
  )
  await host.run({ answer: signer.answer(second) })
  t.equal(host.fault(), undefined)
})

t.test("an installation that is interrupted anywhere can be repeated", async (t) => {
  const signer = new Signer(t)
  for (let steps = 0; ; steps++) {
    const host = new Host(t)
    await host.run({ answer: signer.answer(await host.request()) })
    const answer = signer.answer(await host.request({ isRenewal: true }))
    let left = steps
    const dying =
      (call: (...words: never[]) => unknown) =>
      (...words: never[]) => {
        if (left-- === 0) throw new Error("the process died")
        return call(...words)
      }
    const files = Object.fromEntries(
      (["writeFileSync", "renameSync", "rmSync"] as const).map((name) => [name, dying(fs[name] as never)]),
    )
    const isDead = await host.run({ answer }, files).then(
      () => false,
      (error: Error) => error.message === "the process died",
    )
    if (!isDead) {
      t.ok(steps >= 6, `${steps} moments`)
      return
    }
    await host.run({ answer })
    t.equal(host.fault(), undefined, `after ${steps} calls`)
    t.ok(new X509Certificate(host.read("api.crt")).checkPrivateKey(createPrivateKey(host.read("api.key"))))
    t.strictSame(host.names, ["api.crt", "api.key", "ca.crt"])
  }
})
