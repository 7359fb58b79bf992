// A process's files from the request to the installed certificate, with the operator's authority.
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto"
import { tmpdir } from "node:os"
import { join } from "node:path"
import t, { type Test } from "tap"
import { readRevocationLists } from "../../../../signer/core/crypto/revocations.ts"
import { readLine, writeLine } from "../../../../signer/core/join/line.ts"
import { readAnswer, writeAnswer } from "../../../../signer/core/join/answer.ts"
import { JoinFault } from "../../../../signer/core/join/fault.ts"
import type { JoinCommand } from "../../../../signer/core/join/run.ts"
import { readRequest } from "../../../../signer/core/join/request.ts"
import {
  type NewCertificateTerms,
  writeCertificate,
} from "../../../../signer/operator/authority/certificate.ts"
import { writeRevocationList } from "../../../../signer/operator/authority/revocation-list.ts"
import { hasOpenssl } from "../../../harness/openssl-authority.ts"
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
  const key = signer.issuer.privateKey
  const cases: [line: string, kind: string, message: RegExp][] = [
    [
      signer.answer(await other.request({ isRenewal: true })),
      "refused",
      /of another key than the one that waits here/,
    ],
    [writeAnswer({ certificate: ofServer, authority: ca, servers: [] }, key), "refused", /of another key/],
    [
      writeAnswer({ certificate: own, authority: strange, servers: [] }, key),
      "refused",
      /not signed by the authority beside it/,
    ],
    [
      writeAnswer({ certificate: own, authority: own, servers: [] }, key),
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
      writeAnswer({ certificate: own, authority: ca, servers: [...SERVERS] }, key).slice(0, -40),
      "usage",
      /copy the whole line/,
    ],
    ["", "usage", /copy the whole line/],
  ]
  for (const [answer, kind, message] of cases) await refusal(t, host.run({ answer }), kind, message)
  const answer = writeAnswer({ certificate: own, authority: ca, servers: [...SERVERS] }, key)
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
    const key = signer.issuer.privateKey
    const answer = writeAnswer({ certificate, authority: signer.authority.certificate, servers: [] }, key)
    const accepted = host.run({ ...asked, answer })
    if (message === undefined) await accepted
    else await refusal(t, accepted, "refused", message)
  }
})

/** An authority of OpenSSL, and the certificate that it issues for a key. */
function foreignAuthority(directory: string, algorithm: string, publicKey: KeyObject) {
  const openssl = (words: string) =>
    execFileSync("openssl", words.split(" "), { cwd: directory, stdio: ["ignore", "ignore", "pipe"] })
  fs.writeFileSync(join(directory, "api.pub"), publicKey.export({ format: "pem", type: "spki" }))
  fs.writeFileSync(join(directory, "api.cnf"), "extendedKeyUsage=clientAuth\n")
  openssl(`req -x509 -newkey ${algorithm} -nodes -days 1 -subj /CN=authority -keyout ca.key -out ca.crt`)
  openssl(
    `x509 -new -force_pubkey api.pub -CA ca.crt -CAkey ca.key -subj /CN=api -days 1 -extfile api.cnf -out api.crt`,
  )
  const read = (name: string) => fs.readFileSync(join(directory, name))
  return {
    certificate: new X509Certificate(read("api.crt")),
    authority: new X509Certificate(read("ca.crt")),
    privateKey: createPrivateKey(read("ca.key")),
  }
}

t.test(
  "an authority whose key is of another kind than this deployment's is refused",
  { skip: hasOpenssl() ? false : "no OpenSSL 3" },
  async (t) => {
    for (const algorithm of ["rsa:2048", "ed25519"]) {
      const host = new Host(t)
      const { publicKey } = readRequest(await host.request())
      const directory = fs.mkdtempSync(join(tmpdir(), "cs-authority-"))
      t.teardown(() => fs.rmSync(directory, { recursive: true }))
      const { privateKey, ...issued } = foreignAuthority(directory, algorithm, publicKey)
      const key = algorithm === "ed25519" ? new Signer(t).issuer.privateKey : privateKey
      const answer = writeAnswer({ ...issued, servers: [] }, key)
      await refusal(t, host.run({ answer }), "refused", /not signed by the authority beside it/)
      t.notOk(host.names.includes("api.crt"), algorithm)
    }
  },
)

t.test(
  "W145: a host that joins knows from its start what was revoked, and goes back to no earlier list",
  async (t) => {
    const [host, signer] = [new Host(t), new Signer(t)]
    signer.authority.revoke({ name: "api", serial: "0a" }, Date.now())
    const early = await host.request()
    await host.run({ answer: signer.answer(early) })
    const serials = () => [...(readRevocationLists(host.read("ca.crl"))?.[0]?.serials.keys() ?? [])]
    t.strictSame(serials(), ["0A"])
    t.equal(host.fault(), undefined)
    const renewal = await host.request({ isRenewal: true })
    const answer = signer.answer(renewal)
    const { list } = signer.authority.revoke({ name: "api", serial: "0b" }, Date.now())
    fs.writeFileSync(join(host.directory, "ca.crl"), list)
    await host.run({ answer })
    t.strictSame(serials(), ["0A", "0B"], "the list that the operator copied is later")
    await host.run({ answer: signer.answer(await host.request({ isRenewal: true })) })
    t.strictSame(serials(), ["0A", "0B"])
    const { certificate, authority } = readAnswer(signer.answer(await host.request({ isRenewal: true })))
    const stranger = new Signer(t).authority
    const key = signer.issuer.privateKey
    const foreign = stranger.revoke({ name: "api", serial: "0c" }, Date.now()).list
    for (const revocations of [foreign, "-----BEGIN X509 CRL-----\nAAAA\n-----END X509 CRL-----\n"]) {
      const line = writeAnswer({ certificate, authority, servers: [], revocations }, key)
      await refusal(t, host.run({ answer: line }), "refused", /list of revoked certificates is not signed by/)
    }
    t.strictSame(serials(), ["0A", "0B"])
  },
)

t.test("W145: a host does not join without a list that is too long for the line", async (t) => {
  const [host, signer] = [new Host(t), new Signer(t)]
  for (let at = 1; at <= 3; at += 1) signer.authority.revoke({ name: "api", serial: `0${at}` }, Date.now())
  const [present] = readRevocationLists(Buffer.from(signer.authority.revocations ?? "")) ?? []
  const serials = Array.from({ length: 1500 }, (_, at): [string, { atMs: number }] => [
    (0x10000 + at).toString(16).padStart(32, "0"),
    { atMs: Date.now() },
  ])
  const terms = { number: present?.number ?? 0n, fromMs: Date.now(), toMs: Date.now() + DAY_MS }
  const long = writeRevocationList({ ...terms, revoked: new Map(serials) }, signer.issuer)
  const { certificate, authority } = readAnswer(signer.answer(await host.request()))
  const line = writeAnswer(
    { certificate, authority, servers: [], revocations: long },
    signer.issuer.privateKey,
  )
  t.match(readAnswer(line), { revocations: undefined, listNumber: terms.number })
  const before = host.names
  const copyFirst = new RegExp(
    `list of revoked certificates, number ${terms.number}, is not in the line.*copy ca\\.crl`,
  )
  await refusal(t, host.run({ answer: line }), "refused", copyFirst)
  t.strictSame(host.names, before, "nothing was changed")
  const earlier = writeRevocationList({ ...terms, number: 1n, revoked: new Map() }, signer.issuer)
  fs.writeFileSync(join(host.directory, "ca.crl"), earlier)
  await refusal(t, host.run({ answer: line }), "refused", copyFirst)
  fs.writeFileSync(join(host.directory, "ca.crl"), long)
  const { lines } = await host.run({ answer: line })
  t.match(lines, [
    /^certificate of api/,
    `revoked certificates: 1500, by list ${terms.number} of the authority`,
  ])
})

t.test("W145: nobody on the way of the line takes the list out of it", async (t) => {
  const [host, signer] = [new Host(t), new Signer(t)]
  signer.authority.revoke({ name: "api", serial: "0a" }, Date.now())
  const line = signer.answer(await host.request())
  const message = readLine("answer", line)
  const without = { ...message, revocations: new Uint8Array(0) }
  const elsewhere = message.servers.map((server) => ({ ...server, address: "attacker.example:1" }))
  const changed: [typeof message, RegExp][] = [
    [without, /list of revoked certificates, number \d+, is not in the line/],
    [{ ...without, listNumber: 0n }, /it was changed on its way/],
    [{ ...message, servers: elsewhere }, /it was changed on its way/],
    [{ ...message, signature: new Uint8Array(0) }, /it was changed on its way/],
  ]
  for (const [other, fault] of changed)
    await refusal(t, host.run({ answer: writeLine("answer", other) }), "refused", fault)
  t.notOk(host.names.includes("api.crt"))
  await host.run({ answer: line })
  t.ok(host.names.includes("api.crt"))
})

t.test("W145: a line that was kept back is refused a day after its request", async (t) => {
  const [host, signer] = [new Host(t), new Signer(t)]
  const line = signer.answer(await host.request())
  signer.authority.revoke({ name: "api", serial: "0a" }, Date.now())
  host.nowMs += DAY_MS + 1000
  const before = host.names
  await refusal(t, host.run({ answer: line }), "refused", /the request expired at 20.*make a new one/)
  t.strictSame(host.names, before)
  host.nowMs -= 2000
  await host.run({ answer: line })
  t.ok(host.names.includes("api.crt"))
})

t.test("W145: a join tells the operator which revoked certificates the host knows", async (t) => {
  const [host, signer] = [new Host(t), new Signer(t)]
  const joined = async () => {
    const { lines, json } = await host.run({ answer: signer.answer(await host.request({ isRenewal: true })) })
    return [lines[1], json]
  }
  t.match(await joined(), [/none, the authority has no list/, { revoked: 0 }])
  signer.authority.revoke({ name: "api", serial: "0a" }, Date.now())
  t.match(await joined(), [/^revoked certificates: 1, by list \d+ of the authority$/, { revoked: 1 }])
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
