// Where the temporary files of a test run lie.
import { existsSync, statSync } from "node:fs"
import t from "tap"
import { isUsable, makeMemoryFolder } from "../../scripts/memory-folder.ts"

const ROOMY = 2 ** 34
const MOUNTED = "proc /proc proc rw 0 0\ntmpfs /dev/shm tmpfs rw,nosuid,nodev,size=24684084k 0 0\n"

t.test("memory is used where it has room for a run, and programs can be started from it", async (t) => {
  const found = { mounts: MOUNTED, freeBytes: ROOMY, memoryBytes: ROOMY }
  t.ok(isUsable(found))
  const unusable = {
    "a mount as containers have it": { mounts: MOUNTED.replace("nodev", "nodev,noexec") },
    "a folder on a disk": { mounts: MOUNTED.replace("/dev/shm tmpfs", "/dev/shm ext4") },
    "no mount": { mounts: "proc /proc proc rw 0 0\n" },
    "a small file system": { freeBytes: 2 ** 26 },
    "little memory": { memoryBytes: 2 ** 31 },
  }
  for (const [name, change] of Object.entries(unusable)) t.notOk(isUsable({ ...found, ...change }), name)
  t.equal(makeMemoryFolder({ ...found, freeBytes: 0 }), undefined)
})

t.test(
  "another user passes through the folder, and cannot list it",
  { skip: !existsSync("/dev/shm") },
  async (t) => {
    const found = { mounts: MOUNTED, freeBytes: ROOMY, memoryBytes: ROOMY }
    const folder = makeMemoryFolder(found) ?? ""
    t.equal(statSync(folder).mode & 0o777, 0o711)
  },
)
