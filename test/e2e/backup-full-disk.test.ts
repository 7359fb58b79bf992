// Commands about backups on a disk without room: each says so, and keeps nothing half.
import { execFileSync, spawnSync } from "node:child_process"
import { mkdirSync, readdirSync } from "node:fs"
import { join } from "node:path"
import t, { type Test } from "tap"
import {
  backUpAll,
  emptyHost,
  fetcherCommand,
  holderFiles,
  nodeCommand,
  signerCommand,
  systemToBackUp,
} from "../harness/backups.ts"

/** A file system in memory with room for so many bytes, until the test ends. */
function smallDisk(t: Test, bytes: number): string {
  const folder = join(emptyHost(t), "disk")
  mkdirSync(folder)
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${bytes},mode=0700`, "tmpfs", folder])
  t.teardown(() => execFileSync("umount", ["--lazy", folder]))
  return folder
}

function withoutMounts(): string | false {
  const { status } = spawnSync("unshare", ["--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt"])
  return status === 0 ? false : "not run: this user mounts no file system"
}

/** Files below a folder; an empty folder is no state. */
const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)

t.test(
  "C-1764: a full disk is named by each command that makes, restores or rehearses a part, and nothing is kept",
  { skip: withoutMounts() },
  async (t) => {
    const { system, directory, url } = await systemToBackUp(t)
    await system.createOrganization()
    const folder = emptyHost(t)
    const { key, holders } = holderFiles(folder)
    const backup = await backUpAll({ directory, url, holders, out: join(folder, "backup") })
    const full = { status: 1, log: /the disk of \S+ is full \(ENOSPC\)\. Nothing was kept: make room on it/ }
    const page = 4096
    const disk = smallDisk(t, page)
    const create = ["create", "--to", holders, "--id", "ab".repeat(16), "--out", join(disk, "part")]
    for (const [name, run] of [
      ["fetcher", () => fetcherCommand(directory, "backup", ...create)],
      ["auth proxy", () => nodeCommand(directory, url, "backup", "proxy", ...create)],
      ["database", () => nodeCommand(directory, url, "backup", "database", ...create)],
      [
        "signer",
        () => signerCommand(directory, "backup", "create", "--to", holders, "--out", join(disk, "part")),
      ],
    ] as const) {
      const ended = await run()
      // The smallest part may fit into one page.
      if (name !== "auth proxy") t.match(ended, full, `create: ${name}`)
      t.strictSame(
        filesIn(disk).filter((file) => file !== "part"),
        [],
        `create: ${name}: nothing is left`,
      )
      execFileSync("rm", ["-f", join(disk, "part")])
    }
    const { status, log } = await signerCommand(
      directory,
      "backup",
      "create",
      "--to",
      holders,
      "--out",
      `${backup}.2`,
    )
    t.equal(status, 0, `the signer goes on: ${log}`)

    const words = (verb: string) => [verb, backup, "--key", key]
    for (const verb of ["restore", "rehearse"]) {
      const target = smallDisk(t, 2 * page)
      t.match(await fetcherCommand(target, "backup", ...words(verb)), full, `${verb}: fetcher`)
      t.strictSame(filesIn(target), [], `${verb}: fetcher: nothing is left`)
      t.match(await signerCommand(target, "backup", ...words(verb)), full, `${verb}: signer`)
      t.strictSame(filesIn(target), [], `${verb}: signer: nothing is left`)
    }
    const roomy = emptyHost(t)
    t.match(
      await signerCommand(roomy, "backup", ...words("restore")),
      { status: 0 },
      "elsewhere it is restored",
    )
  },
)
