// A backup's bytes: whatever is torn, edited, foreign, doubled or missing has a name, and nothing of it is used.
import { execFileSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import t, { type Test } from "tap"
import { BackupPartKind } from "../../../../proto/gen/countersign/state/v1/backup_pb.ts"
import { openPart, verifyArchive } from "../../../../signer/core/backup/archive.ts"
import { CHUNK_BYTES } from "../../../../signer/core/backup/part.ts"
import { readTar } from "../../../../signer/core/backup/tar.ts"
import { deployment, fileOf, holder, newKey, part, read, tarOf } from "./parts.ts"
import { isLong } from "../../../harness/long.ts"

const { SIGNER, DATABASE } = BackupPartKind
const ID = "ab".repeat(16)
const OTHER_ID = "cd".repeat(16)
const own = deployment()

const small = { "root-seed": Buffer.from("a seed of 32 bytes, as it stands"), "ledger/one": Buffer.alloc(0) }
const large = {
  "tables/one/00000000": randomBytes(CHUNK_BYTES + 17),
  "tables/one/00000001": randomBytes(512),
}

const signerPart = await part(ID, SIGNER, small)
const databasePart = await part(ID, DATABASE, large)
const manifest = own.manifest(ID, [
  [SIGNER, signerPart],
  [DATABASE, databasePart],
])
const whole = Buffer.concat([signerPart, databasePart, manifest])

const verify = (...files: Uint8Array[]) =>
  verifyArchive(
    files.map((bytes, at) => fileOf(bytes, `file ${at}`)),
    { trusted: own.pins },
  )
const named = (t: Test, code: string, files: Uint8Array[], why: string) =>
  t.rejects(verify(...files), { code, message: new RegExp(`^${code}: .*\\. [A-Z]`, "s") }, why)

t.test("C-1752: the sections of a backup are read in any order, from one file or from several", async (t) => {
  const orders = [
    [whole],
    [signerPart, databasePart, manifest],
    [manifest, Buffer.concat([databasePart, signerPart])],
  ]
  for (const files of orders) {
    const { parts, head, manifest: read } = await verify(...files)
    t.strictSame(new Set(parts.keys()), new Set([SIGNER, DATABASE]))
    t.match({ head, sequence: read.sequence }, { head: { size: 5 }, sequence: 7n })
  }
  const { parts } = await verify(whole)
  for (const [kind, files] of [
    [SIGNER, small],
    [DATABASE, large],
  ] as const) {
    const content: { [name: string]: Buffer } = {}
    for await (const file of readTar(openPart(parts.get(kind)!, holder)))
      content[file.name] = await read(file.content)
    t.strictSame(content, files)
  }
})

t.test(
  "W122: every byte of a backup counts: one that is changed or cut off is named, and nothing is opened",
  async (t) => {
    const ends = [signerPart.length, signerPart.length + databasePart.length, whole.length]
    const places = new Set<number>()
    for (const end of ends) for (let at = 1; at < 150; at += isLong ? 1 : 7) places.add(end - at)
    for (let at = 0; at < 400; at += isLong ? 3 : 21) places.add(at)
    for (let at = 0; at < whole.length; at += 20_011) places.add(at)
    const codes = /^BACKUP_(?:EDITED|TORN|MIXED|FORMAT_UNKNOWN|FOREIGN)$/
    for (const at of places) {
      const flipped = Buffer.from(whole)
      flipped[at]! ^= 1
      await t.rejects(verify(flipped), { code: codes }, `byte ${at}`)
      if (!ends.includes(at) && at > 0)
        await t.rejects(verify(whole.subarray(0, at)), { code: "BACKUP_TORN" }, `cut at ${at}`)
    }
    await named(t, "BACKUP_EDITED", [Buffer.concat([whole, Buffer.from("more\n")])], "bytes after the end")
    await named(t, "BACKUP_TORN", [Buffer.alloc(0)], "an empty file")
  },
)

t.test("W123: parts of another deployment or backup, doubled and missing ones are named", async (t) => {
  const foreign = deployment(2)
  const theirs = foreign.manifest(ID, [[SIGNER, signerPart]])
  await named(t, "BACKUP_FOREIGN", [signerPart, theirs], "signed by another deployment")
  const without = own.manifest(ID, [[SIGNER, signerPart]])
  await named(t, "BACKUP_FOREIGN", [signerPart, databasePart, without], "not in the manifest")
  await named(t, "BACKUP_MIXED", [whole, signerPart], "a part twice")
  await named(t, "BACKUP_MIXED", [whole, without], "two manifests")
  await named(
    t,
    "BACKUP_MIXED",
    [await part(OTHER_ID, SIGNER, small), databasePart, manifest],
    "another backup",
  )
  await named(t, "BACKUP_EDITED", [await part(ID, SIGNER, small), databasePart, manifest], "made again")
  await named(t, "BACKUP_INCOMPLETE", [signerPart, manifest], "a part is missing")
  await named(t, "BACKUP_INCOMPLETE", [signerPart, databasePart], "no manifest")
  await named(t, "BACKUP_FORMAT_UNKNOWN", [Buffer.from("countersign-backup-part/2\nmore")], "a later format")
  const needed = await verifyArchive([fileOf(signerPart), fileOf(manifest)], { needs: SIGNER })
  t.strictSame([...needed.parts.keys()], [SIGNER], "one host needs its own part alone")
  await t.rejects(verifyArchive([fileOf(manifest)], { needs: SIGNER }), { code: "BACKUP_INCOMPLETE" })
})

t.test(
  "W124: a key of nobody opens nothing, and a part that changed after it was verified is refused",
  async (t) => {
    const { parts } = await verify(whole)
    await t.rejects(read(openPart(parts.get(SIGNER)!, newKey())), { code: "BACKUP_KEY_WRONG" })
    const found = parts.get(DATABASE)!
    for (const at of [50, 400, databasePart.length - 1]) {
      const changed = Buffer.from(databasePart)
      changed[at]! ^= 1
      await t.rejects(
        read(openPart({ ...found, file: fileOf(changed) }, holder)),
        { code: /^BACKUP_/ },
        `byte ${at}`,
      )
    }
    const another = await part(ID, DATABASE, small)
    await t.rejects(read(openPart({ ...found, file: fileOf(another) }, holder)), { code: "BACKUP_EDITED" })
  },
)

t.test("C-1753: the content of a part is an archive that any tar reads", async (t) => {
  const folder = t.testdir()
  writeFileSync(join(folder, "part.tar"), await read(tarOf(large)))
  const names = execFileSync("tar", ["--list", "--file", join(folder, "part.tar")], { encoding: "utf8" })
  t.strictSame(names.trim().split("\n"), Object.keys(large))
  const [name, bytes] = Object.entries(large)[0]!
  const options = { maxBuffer: 8 * CHUNK_BYTES }
  t.ok(
    execFileSync(
      "tar",
      ["--extract", "--to-stdout", "--file", join(folder, "part.tar"), name],
      options,
    ).equals(bytes),
  )
  const tar = await read(tarOf(small))
  for (const [at, value] of [
    [0, "/"],
    [0, "../"],
    [156, "5"],
    [124, "7"],
    [600, "x"],
  ] as const) {
    const altered = Buffer.from(tar)
    altered.write(value, at)
    const files = async () => {
      for await (const file of readTar(fileOf(altered).read())) await read(file.content)
    }
    if (at === 600 && altered.equals(tar)) continue
    await t.rejects(files(), { code: "BACKUP_EDITED" }, `${value} at ${at}`)
  }
  await t.rejects(read(tarOf({ "../x": Buffer.alloc(1) })), /no name of a file/)
})
