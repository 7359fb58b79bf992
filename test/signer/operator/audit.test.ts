// The audit stream of a running signer, and the operator's commands about it.
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { DescService } from "@bufbuild/protobuf"
import { credentials, type ServiceError, status } from "@grpc/grpc-js"
import t from "tap"
import { OperatorService } from "../../../proto/gen/countersign/signer/v1/operator_pb.ts"
import { UnlockService } from "../../../proto/gen/countersign/signer/v1/unlock_pb.ts"
import { clientFor } from "../../../proto/grpc-client.ts"
import { auditFilesIn, auditLines } from "../../../signer/process/audit-folder.ts"
import { recordsIn } from "../../harness/audited.ts"
import { runCommandLine } from "../../harness/commands.ts"
import { patienceMs } from "../../harness/patience.ts"
import { RunningBoundary } from "../../harness/running-boundary.ts"
import { newKey } from "../../harness/stamper.ts"

t.setTimeout(patienceMs(120_000))

/** The signer of all tests. The last one leaves its files altered. */
const boundary = await RunningBoundary.start()
t.teardown(() => boundary.close())
const data = join(boundary.directory, "data")
const directory = join(data, "signer", "audit")

/** Runs a command of the operator; `json` is its result. */
async function run(...words: string[]) {
  const { status, out, log } = await runCommandLine({
    program: "signer/operator/main.ts",
    words: [...words, "--json"],
    environment: { PATH: process.env["PATH"], COUNTERSIGN_DATA_DIR: data },
    input: "",
  })
  return { exitStatus: status, json: JSON.parse(out + log) as Json }
}

type Json = { [name: string]: unknown } & { faults?: { code: string }[]; records?: number }

const codes = ({ json }: { json: Json }) => json.faults?.map(({ code }) => code)

t.test("W139: a caller of the API's socket writes no record of an act, and is recorded", async (t) => {
  const files = await boundary.authority.issue("api")
  const foreign = await boundary.authority.issue("Ada Lovelace")
  const clientOf = <S extends DescService>(
    service: S,
    { caFile, keyFile, certificateFile }: typeof files,
  ) => {
    const [ca, key, certificate] = [caFile, keyFile, certificateFile].map((path) => readFileSync(path))
    const client = clientFor(service, {
      address: boundary.address,
      credentials: credentials.createSsl(ca, key, certificate),
      deadlineMs: patienceMs(30_000),
    })
    t.teardown(() => client.close())
    return client.call
  }
  const accept = (caller: typeof files) => clientOf(OperatorService, caller).acceptLedger({ restored: true })
  const refusedWith = (code: number) => ({ code }) as ServiceError
  await t.rejects(accept(files), refusedWith(status.UNIMPLEMENTED), "as an unknown service")
  await t.rejects(accept(foreign), refusedWith(status.PERMISSION_DENIED))
  await t.rejects(clientOf(UnlockService, files).lock({}), refusedWith(status.UNIMPLEMENTED))
  t.match(await run("audit", "verify"), { exitStatus: 0 })
  const records = recordsIn(directory)
  t.same(
    records.filter(({ kind }) => kind === "act"),
    [],
    "no act was begun",
  )
  t.match(
    records.filter(({ kind }) => kind === "refused-caller"),
    [
      { reason: /OperatorService\.AcceptLedger/, address: /127\.0\.0\.1|::1/ },
      { reason: "its name is not on the list of callers" },
      { reason: /UnlockService\.Lock/ },
    ],
  )
  t.notMatch(JSON.stringify(records), /Lovelace/, "W138: no name that a caller chose")
})

t.test(
  "an operator verifies, exports and follows the stream, and an auditor verifies the export from pins alone",
  async (t) => {
    await boundary.createSetupCode(newKey().publicKeyHex)
    t.match(await run("certificate", "signer.internal:7443"), { exitStatus: 0 })
    t.match(await run("revoke", "nobody"), { exitStatus: Number })
    await boundary.restart()
    t.match(
      recordsIn(directory).filter(({ kind }) => kind === "command"),
      [
        { command: "certificate", outcome: "begun", subject: "signer" },
        { command: "certificate", outcome: "done", subject: "signer" },
        { command: "revoke", outcome: "begun", subject: "nobody" },
        { command: "revoke", outcome: "failed", subject: "nobody" },
      ],
      "W153: commands that call no signer are recorded",
    )
    const here = await run("audit", "verify")
    t.match(here, { exitStatus: 0, json: { verified: true, first: 1, faults: [] } })
    const unbound = Number(here.json["last"]) - Number(here.json["bound"])
    t.ok([0, 1].includes(unbound), "all but the record of this call, if it came after the log's last word")
    const { json: pins } = await run("pins")
    const [pinsFile, out] = [join(boundary.directory, "pins.json"), join(boundary.directory, "audit.jsonl")]
    writeFileSync(pinsFile, JSON.stringify(pins))
    t.match(await run("audit", "export", "--out", out), { exitStatus: 0 })
    t.match(await run("audit", "export", "--out", out), { exitStatus: 2 }, "a file that is there is kept")
    const head = join(boundary.directory, "checkpoint")
    writeFileSync(
      head,
      (JSON.parse(readFileSync(out, "utf8").split("\n")[0] ?? "") as { checkpoint: string }).checkpoint,
    )
    await boundary.kill()
    // The signer may have written more before it was killed, such as its hourly record of the log's head.
    const written = [...auditLines(directory)]
    t.match(
      await run("audit", "verify"),
      { exitStatus: 5 },
      "without the signer nothing says what the log has bound",
    )
    const verify = (file: string) => run("audit", "verify", file, "--pins", pinsFile, "--head", head)
    t.match(await verify(out), { exitStatus: 0, json: { verified: true, checkpoint: { size: Number } } })
    const lines = readFileSync(out, "utf8").split("\n").slice(0, -1)
    const altered = join(boundary.directory, "altered.jsonl")
    const write = (changed: string[]) => writeFileSync(altered, `${changed.join("\n")}\n`)
    write(lines.slice(0, -2))
    t.same(codes(await verify(altered)), ["AUDIT_TRUNCATED"])
    write(lines.toSpliced(2, 1))
    const missing = await verify(altered)
    t.same([missing.exitStatus, codes(missing)], [3, ["AUDIT_MISSING"]])
    write(lines.slice(1))
    const records = await run("audit", "verify", altered)
    t.match(
      records,
      { exitStatus: 0, json: { bound: 0 } },
      "records alone: the chain, and no word of the log",
    )
    const tail = await run("audit", "tail", "--count", "2")
    t.same((tail.json["records"] as unknown as object[]).length, 2)
    t.same(lines.slice(1), written.slice(0, lines.length - 1), "behind the checkpoint, the files' own lines")
    t.same([...auditLines(directory)], written, "no command without the signer wrote a record")
  },
)

t.test("W135: an edit of the files under a running signer is found by its next verification", async (t) => {
  await boundary.restart()
  const [file = ""] = auditFilesIn(directory)
  writeFileSync(file, readFileSync(file, "utf8").replace('"outcome":"done"', '"outcome":"open"'))
  t.same(codes(await run("audit", "verify")), ["AUDIT_EDITED"])
  await boundary.restart()
  t.same(codes(await run("audit", "verify")), ["AUDIT_EDITED"], "after a start too")
})
