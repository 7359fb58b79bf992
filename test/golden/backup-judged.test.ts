// Parts of a backup, opened by a program in Go that has HPKE and AES-GCM of its own, from docs/formats/backup.md alone.
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import t from "tap"
import { BackupPartKind } from "../../proto/gen/countersign/state/v1/backup_pb.ts"
import { openPart, verifyArchive } from "../../signer/core/backup/archive.ts"
import { partName } from "../../signer/core/backup/part.ts"
import { privateKeyIn } from "../../signer/core/backup-files/input.ts"
import { holderFiles } from "../harness/backups.ts"
import { judge } from "../harness/judges.ts"
import { fileOf, read } from "../signer/core/backup/parts.ts"

const { program, skip } = judge("backup")
const MAX_OUTPUT = 64 * 1024 * 1024

t.test("C-1753: a program in Go opens each part of a backup to the same archive", { skip }, async (t) => {
  const { key } = holderFiles(t.testdir())
  const archive = readFileSync(join(import.meta.dirname, "backup-1.backup"))
  const open = (input: Buffer, kind: BackupPartKind, digits = readFileSync(key, "utf8")) =>
    spawnSync(program, [digits, String(kind)], { input, maxBuffer: MAX_OUTPUT })
  const { parts } = await verifyArchive([fileOf(archive)])
  t.equal(parts.size, 4)
  for (const [kind, part] of parts) {
    const { status, stdout, stderr } = open(archive, kind)
    t.equal(status, 0, stderr.toString())
    t.ok(stdout.equals(await read(openPart(part, privateKeyIn(key)))), partName(kind))
  }
  const edited = Buffer.from(archive)
  edited[5_000]! ^= 1
  const refused = [...parts.keys()].map((kind) => open(edited, kind).status)
  t.ok(refused.includes(1), "a byte of a chunk was changed")
  t.match(open(archive, BackupPartKind.SIGNER, "5ca1ab1f".repeat(8)).stderr.toString(), /of no holder/)
})
