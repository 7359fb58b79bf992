// The daily way of a host with systemd: its own program wraps the key, and gives it again.
import { spawnSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import t from "tap"
import { Secret } from "../../../signer/core/crypto/secret.ts"
import { readCommandKey, runSlotCommand, writeCommandKey } from "../../../signer/process/slot-command.ts"

const SEAL = ["systemd-creds", "encrypt", "--with-key=host", "--name=seed", "-", "-"] as const
const UNSEAL = ["systemd-creds", "decrypt", "--name=seed", "-", "-"] as const

/** Needs the host's key, which root alone makes and reads. */
const works = spawnSync(SEAL[0], SEAL.slice(1), { input: "x" }).status === 0

t.test(
  "systemd-creds wraps the key of a slot and gives it again, and names a changed blob",
  { skip: works ? false : "systemd-creds is missing, or has no key of this host: not run" },
  async (t) => {
    const key = randomBytes(32)
    const blob = await runSlotCommand(SEAL, writeCommandKey(Secret.copyOf(key)))
    t.ok(blob.length <= 4096, `${blob.length} bytes`)
    t.notOk(blob.use((bytes) => Buffer.from(bytes).includes(key.toString("hex"))))
    const again = readCommandKey(await runSlotCommand(UNSEAL, blob))
    t.strictSame(
      again.use((bytes) => Buffer.from(bytes)),
      key,
    )
    const changed = blob.use((bytes) => Buffer.from(Buffer.from(bytes).toString().replace(/[A-Z]/, "a")))
    await t.rejects(runSlotCommand(UNSEAL, Secret.copyOf(changed)), {
      message: /systemd-creds ended with status.*Nothing was changed; shares always open the seed/,
    })
  },
)
