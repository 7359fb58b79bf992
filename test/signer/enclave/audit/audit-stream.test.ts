import { appendFileSync, readFileSync, rmSync, statSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import t from "tap"
import { Phase } from "../../../../proto/gen/countersign/signer/v1/phase_pb.ts"
import { AuditChain } from "../../../../signer/core/audit/chain.ts"
import type { AuditStream } from "../../../../signer/enclave/audit/audit-stream.ts"
import { auditFilesIn, auditLines } from "../../../../signer/process/audit-folder.ts"
import { AuditedSigner, auditStream, recordsIn, tear } from "../../../harness/audited.ts"
import { newKey } from "../../../harness/stamper.ts"

const chainIn = (directory: string) => {
  const chain = new AuditChain()
  for (const line of auditLines(directory)) chain.add(line)
  return chain.end()
}

/** The next file of a stream is on a disk that is full, until the function is called. */
function fillDisk(directory: string): () => void {
  const next = join(directory, `audit-${String(auditFilesIn(directory).length + 1).padStart(8, "0")}.jsonl`)
  symlinkSync("/dev/full", next)
  return () => rmSync(next)
}

t.test("C-1789: the chain goes on across starts, files and a line that a crash tore", async (t) => {
  const directory = t.testdir()
  const options = { bytesPerFile: 600 }
  let stream = auditStream(directory, options)
  for (let start = 1; start <= 3; start++) {
    stream.start()
    stream.phase("READY")
    stream.stop(undefined)
    stream.close()
    tear(directory)
    stream = auditStream(directory, options)
  }
  stream.start()
  const kinds = recordsIn(directory).map(({ kind }) => kind)
  t.same(kinds, [...Array.from({ length: 3 }, () => ["start", "phase", "stop"]).flat(), "start"])
  t.match(chainIn(directory), { records: 10, first: 1, last: 10, faults: [] })
  const files = auditFilesIn(directory)
  t.ok(files.length > 2, "rotated")
  for (const file of files) t.equal(statSync(file).mode & 0o777, 0o640, "a program of the group reads it")
  t.match(recordsIn(directory)[0], {
    release: "countersign 1.0.0",
    codeDigest: "ab".repeat(32),
    salt: /^[0-9a-f]{64}$/,
  })
})

t.test("a phase is recorded once for each change, with the code of a halt", async (t) => {
  const directory = t.testdir()
  const stream = auditStream(directory)
  for (const [phase, code] of [
    ["SEALED"],
    ["SEALED"],
    ["READY"],
    ["HALTED", "LEDGER_FOREIGN"],
    ["READY"],
  ] as const)
    stream.phase(phase, code)
  const phases = recordsIn(directory).filter(({ kind }) => kind === "phase")
  t.match(phases, [
    { phase: "SEALED" },
    { phase: "READY" },
    { phase: "HALTED", code: "LEDGER_FOREIGN" },
    { phase: "READY" },
  ])
  t.equal(phases.length, 4)
})

t.test("W136: an act is recorded before it is done and after it, with its outcome", async (t) => {
  const signer = await AuditedSigner.start()
  t.teardown(() => signer.close())
  const { publicKeyHex } = newKey()
  await signer.operator.setupCode(publicKeyHex)
  await t.rejects(signer.operator.setupCode("00".repeat(33)), { code: "PUBLIC_KEY_INVALID" })
  const [begun, done, tried, refused] = recordsIn(signer.directory).slice(-4)
  t.match(begun, { kind: "act", call: "createSetupCode", subject: publicKeyHex })
  t.match(done, { kind: "outcome", act: begun?.number, outcome: "done" })
  t.match(tried, { kind: "act", call: "createSetupCode" })
  t.match(refused, { kind: "outcome", act: tried?.number, outcome: "PUBLIC_KEY_INVALID" })
})

t.test(
  "W136: on a full disk an act is refused before it is done, and everything else is counted",
  async (t) => {
    const signer = await AuditedSigner.start()
    t.teardown(() => signer.close())
    signer.audit.close()
    signer.audit = auditStream(signer.directory, { bytesPerFile: 1 })
    signer.audit.start()
    const free = fillDisk(signer.directory)
    const leaves = signer.boundary.signer.state().log.signed.size
    const key = newKey().publicKeyHex
    await t.rejects(signer.operator.setupCode(key), { code: "AUDIT_UNWRITABLE", message: /nothing was done/ })
    t.equal(signer.boundary.signer.state().log.signed.size, leaves, "no leaf of the act either")
    t.match(await signer.operator.status(), { phase: Phase.READY }, "reading goes on")
    free()
    t.ok((await signer.operator.setupCode(key)).setupCode)
    const gap = recordsIn(signer.directory).findLast(({ kind }) => kind === "gap")
    t.match(gap, { omitted: 1, after: /^[0-9a-f]{64}$/ })
    t.match(chainIn(signer.directory), { faults: [], gaps: [{ number: gap?.number, omitted: 1 }] })
  },
)

t.test("W136: where the setting says so acts go on, and the gap has their number and digest", async (t) => {
  const directory = t.testdir()
  const faults: unknown[] = []
  const stream = auditStream(directory, {
    bytesPerFile: 1,
    whenFull: "continue",
    onFault: (error) => faults.push(error),
  })
  stream.start()
  const before = Buffer.from(stream.head()!).toString("hex")
  const free = fillDisk(directory)
  const act = stream.act({ call: "createSetupCode" })
  stream.outcome({ act, outcome: "done" })
  const omitted = Buffer.from(stream.head()!).toString("hex")
  t.not(omitted, before, "the log binds records that are only counted")
  free()
  stream.phase("READY")
  const [, gap, phase] = recordsIn(directory)
  t.match(gap, { kind: "gap", number: 4, omitted: 2, after: before, previous: omitted })
  t.match(phase, { kind: "phase", number: 5 })
  t.match(chainIn(directory), { faults: [], gaps: [{ number: 4, omitted: 2 }] })
  t.match(faults, [{ code: "ENOSPC" }, undefined])
  t.equal(faults.length, 2, "reported once, and once when it is over")
  t.same(chainIn(directory).open, [], "an act whose record is in the gap is not one without an outcome")
})

t.test(
  "W137: refused callers and readers who flood the stream are counted, and acts are not delayed",
  async (t) => {
    const directory = t.testdir()
    let nowMs = 0
    const stream = auditStream(directory, { monotonicMs: () => nowMs })
    const flood = (calls: number) => {
      for (let call = 0; call < calls; call++) {
        stream.refusedCaller("it showed no certificate", `10.0.${call % 250}.${Math.floor(call / 250) % 250}`)
        stream.read("getStatus", "done")
      }
    }
    flood(20_000)
    const first = recordsIn(directory)
    const of = (records: typeof first, kind: string) => records.filter((one) => one.kind === kind)
    t.equal(of(first, "refused-caller").length, 10)
    t.equal(of(first, "read").length, 5)
    stream.act({ call: "lock" })
    nowMs += 600_000
    stream.tick(() => undefined)
    flood(1)
    const later = recordsIn(directory).slice(first.length)
    t.match(of(later, "omitted"), [
      { of: "refused-caller", count: 19_990 },
      { of: "read", count: 19_995 },
    ])
    t.equal(of(later, "act").length, 1)
    t.equal(of(later, "refused-caller").length, 1)
    stream.stop(undefined)
    t.equal(
      recordsIn(directory).filter(({ kind }) => kind === "omitted").length,
      2,
      "nothing is counted twice",
    )
  },
)

t.test("W137: a day of flooding costs a bounded part of the disk", async (t) => {
  const directory = t.testdir()
  let nowMs = 0
  const stream: AuditStream = auditStream(directory, { monotonicMs: () => nowMs })
  const [address] = ["2001:0db8:ffff:ffff:ffff:ffff:ffff:ffff"]
  const reason = "it called countersign.signer.v1.OperatorService.EraseOrganization, which is not served here"
  for (let minute = 0; minute < 10; minute++, nowMs += 60_000)
    for (let call = 0; call < 1000; call++) stream.refusedCaller(reason, address)
  const bytes = auditFilesIn(directory).reduce((sum, file) => sum + readFileSync(file).length, 0)
  t.ok(bytes * 144 < 7_000_000, `${bytes} bytes in ten minutes`)
})

t.test("W138: text that callers choose is in no record", async (t) => {
  const signer = await AuditedSigner.start()
  t.teardown(() => signer.close())
  const text = "Ada Lovelace ada@example.com\n{}"
  await t.rejects(signer.operator.setupCode(text), { code: "PUBLIC_KEY_INVALID" })
  const written = auditFilesIn(signer.directory)
    .map((file) => readFileSync(file, "utf8"))
    .join("")
  t.notMatch(written, /lovelace|ada@/i)
  const { deploymentId } = signer.boundary.signer.state().keyring.pins
  t.ok(written.includes(deploymentId), "the log's origin names the deployment")
})

t.test("a head is recorded at the first tick, each hour if the log grew, and at a stop", async (t) => {
  const directory = t.testdir()
  let nowMs = 0
  const stream = auditStream(directory, { monotonicMs: () => nowMs })
  const head = (size: number) => () => ({ origin: "countersign/x/1", size, root: Buffer.alloc(32, size) })
  stream.tick(head(3))
  stream.tick(head(4))
  nowMs += 3_600_000
  stream.tick(head(4))
  nowMs += 3_600_000
  stream.tick(head(4))
  stream.stop(head(5)())
  const heads = recordsIn(directory).filter(({ kind }) => kind === "head")
  t.match(heads, [{ size: 3 }, { size: 4 }, { size: 5, root: "05".repeat(32) }])
  t.equal(heads.length, 3)
})

t.test("a last line that is no record is followed, and an audit names it", async (t) => {
  const directory = t.testdir()
  auditStream(directory).start()
  appendFileSync(auditFilesIn(directory)[0] ?? "", "no record\n")
  auditStream(directory).start()
  t.match(
    chainIn(directory).faults.map(({ code }) => code),
    ["AUDIT_MALFORMED", "AUDIT_MISSING"],
  )
})
