import { readFileSync, writeFileSync } from "node:fs"
import { createServer, type Server } from "node:http"
import { type AddressInfo, createServer as createTcpServer } from "node:net"
import { join } from "node:path"
import t, { type Test } from "tap"
import { AuditChain } from "../../../../signer/core/audit/chain.ts"
import { recordDigest } from "../../../../signer/core/audit/record.ts"
import { receiverAt, type ReceiverFiles } from "../../../../signer/operator/audit-send/deliver.ts"
import { AuditSender } from "../../../../signer/operator/audit-send/send.ts"
import { auditFilesIn, auditLines } from "../../../../signer/process/audit-folder.ts"
import { auditStream } from "../../../harness/audited.ts"
import { TestAuthority } from "../../../harness/certificates.ts"
import { freePort } from "../../../harness/free-port.ts"
import { patienceMs } from "../../../harness/patience.ts"
import { Rsyslog, skipWithoutRsyslog } from "../../../harness/rsyslog.ts"

t.setTimeout(patienceMs(60_000))

/** Long enough for a receiver on this host to refuse what it refuses. */
const SETTLED_MS = 300

const NO_FILES: ReceiverFiles = { ca: undefined, certificate: undefined, key: undefined, token: undefined }

function setup(t: Test) {
  const directory = t.testdir({ audit: {} })
  const audit = join(directory, "audit")
  const stream = auditStream(audit, { bytesPerFile: 2000 })
  return { directory, audit, stream, state: join(directory, "sent.json") }
}

const faultsOf = (lines: Iterable<string>) => {
  const chain = new AuditChain()
  for (const line of lines) chain.add(line)
  return chain.end().faults
}

/** As the command does: until everything is delivered. This release of rsyslog ends some connections for faults of others before. */
async function persist(sender: AuditSender): Promise<void> {
  for (;;) {
    try {
      await sendAll(sender)
      return
    } catch {
      // Sent again.
    }
  }
}

async function sendAll(sender: AuditSender): Promise<number> {
  let all = 0
  for (let sent = -1; sent !== 0; all += sent) sent = await sender.sendNext()
  return all
}

t.test(
  "C-1788: rsyslog receives each record over TLS, whole and in order, also those that were written while it was down",
  { skip: skipWithoutRsyslog },
  async (t) => {
    const { directory, audit, stream, state } = setup(t)
    const authority = await TestAuthority.create(join(directory, "certificates"))
    const [server, sender] = [await authority.issue("rsyslog"), await authority.issue("sender")]
    const port = await freePort()
    const to = `syslog+tls://localhost:${port}`
    const files = {
      ca: server.caFile,
      certificate: sender.certificateFile,
      key: sender.keyFile,
      token: undefined,
    }
    const receiving = receiverAt(to, files, SETTLED_MS)
    t.teardown(() => receiving.close())
    for (let act = 0; act < 60; act++) stream.outcome({ act: stream.act({ call: "lock" }), outcome: "done" })
    await t.rejects(new AuditSender(audit, state, receiving).sendNext(), "nobody listens")
    const receiver = await Rsyslog.start(directory, port, server)
    t.teardown(() => receiver.stop())
    await persist(new AuditSender(audit, state, receiving))
    await receiver.until(121)
    await receiver.stop()
    stream.refusedCaller("it showed no certificate", "10.0.0.7")
    stream.stop(undefined)
    const later = new AuditSender(audit, state, receiving)
    await t.rejects(later.sendNext())
    t.equal(later.delivered, 121, "nothing counts as delivered")
    const again = await Rsyslog.start(directory, port, server)
    t.teardown(() => again.stop())
    await persist(later)
    await again.until(123)
    const fields = new Map(again.received.map((one) => [one.line, one.fields]))
    const lines = [...fields.keys()]
    t.same(lines, [...auditLines(audit)], "byte for byte")
    t.same(faultsOf(lines), [], "the receiver verifies the chain of what it has")
    t.equal(fields.get(lines[0]!), "109 countersign-signer start")
    t.equal(fields.get(lines[121]!), "108 countersign-signer refused-caller")
    stream.phase("READY")
    const untrusting = receiverAt(to, { ...files, ca: undefined })
    await t.rejects(new AuditSender(audit, state, untrusting).sendNext(), { code: /CERT|SELF_SIGNED|ISSUER/ })
  },
)

/** A webhook that answers with these statuses, then with 204. */
async function webhook(t: Test, statuses: number[] = []) {
  const bodies: string[] = []
  const tokens: (string | undefined)[] = []
  const server: Server = createServer((request, reply) => {
    let body = ""
    request.on("data", (chunk: Buffer) => (body += chunk.toString()))
    request.once("end", () => {
      bodies.push(body)
      tokens.push(request.headers.authorization)
      reply.statusCode = statuses.shift() ?? 204
      reply.end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  t.teardown(() => server.close())
  return { bodies, tokens, to: `http://127.0.0.1:${(server.address() as AddressInfo).port}/audit` }
}

t.test(
  "C-1785: a webhook receives each record at least once, in order, also across faults and ends of the sender",
  async (t) => {
    const { directory, audit, stream, state } = setup(t)
    const token = join(directory, "token")
    writeFileSync(token, "secret-token\n")
    const { bodies, tokens, to } = await webhook(t, [500, 204, 302, 204, 503])
    const sender = () => new AuditSender(audit, state, receiverAt(to, { ...NO_FILES, token }))
    for (let act = 0; act < 250; act++) stream.outcome({ act: stream.act({ call: "lock" }), outcome: "done" })
    for (let faults = 0; faults < 3; ) {
      try {
        if ((await sender().sendNext()) === 0) break
      } catch {
        faults += 1
      }
    }
    stream.stop(undefined)
    await sendAll(sender())
    const lines = bodies.flatMap((body) => body.split("\n").slice(0, -1))
    const once = [...new Set(lines)]
    t.same(once, [...auditLines(audit)])
    t.ok(lines.length > once.length, "what was answered with a fault was sent again")
    t.same([...new Set(tokens)], ["Bearer secret-token"])
    t.ok(bodies.every((body) => body.split("\n").length <= 257))
  },
)

t.test("a sender stops where the record that it sent last is not in the files any more", async (t) => {
  const { audit, stream, state } = setup(t)
  const { to } = await webhook(t)
  const sender = () => new AuditSender(audit, state, receiverAt(to, NO_FILES))
  stream.phase("READY")
  await sendAll(sender())
  t.match(JSON.parse(readFileSync(state, "utf8")), {
    number: 2,
    digest: recordDigest([...auditLines(audit)][1] ?? ""),
  })
  const [file = ""] = auditFilesIn(audit)
  writeFileSync(file, readFileSync(file, "utf8").replace("READY", "EMPTY"))
  t.throws(sender, { message: /record 2, the last one that was delivered, is not in the files/ })
  writeFileSync(state, "{}")
  t.throws(sender, { message: /no file of audit send/ })
})

t.test("a receiver that ends the connection before it read everything has delivered nothing", async (t) => {
  const { audit, stream, state } = setup(t)
  stream.start()
  const server = createTcpServer((socket) => socket.destroy())
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  t.teardown(() => server.close())
  const to = `syslog+tls://127.0.0.1:${(server.address() as AddressInfo).port}`
  const sender = new AuditSender(audit, state, receiverAt(to, NO_FILES))
  await t.rejects(sender.sendNext())
  t.equal(sender.delivered, 0)
})

t.test("records leave this host under TLS alone", async (t) => {
  for (const to of ["syslog://logs:514", "http://logs/audit", "logs:6514", "file:///x"])
    t.throws(() => receiverAt(to, NO_FILES), { message: /plain HTTP is for this host alone/ })
})
