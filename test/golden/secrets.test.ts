// Secrets and their import keys of every released format open, whatever this release writes itself.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fromBinary } from "@bufbuild/protobuf"
import t from "tap"
import { RecordKind, SecretRecordSchema } from "../../proto/gen/countersign/state/v1/record_pb.ts"
import { p256Point, p256PrivateKey } from "../../signer/core/crypto/p256.ts"
import type { Changes } from "../../signer/enclave/execution/workspace/changes.ts"
import { StoredSecretImportKeys } from "../../signer/enclave/modules/wallets/powers/secret-import-keys.ts"
import type { Ledger } from "../../signer/enclave/ledger/ledger.ts"
import { openKeyring } from "../../signer/enclave/provision/keyring.ts"
import { openRecord, openSecret } from "../../signer/enclave/records/record.ts"
import { dangerouslyRevealText, fromHex, secretOf, toHex } from "../signer/enclave/keys/tools.ts"
import type { GoldenSecrets } from "./secrets.ts"

/** One for each released format, never changed once it is here. */
const FILES = ["secrets-1.json"]

for (const file of FILES) {
  const golden = JSON.parse(readFileSync(join(import.meta.dirname, file), "utf8")) as GoldenSecrets
  const { organizationId, userId, importTargets } = golden
  const keyring = openKeyring(secretOf(golden.dangerouslyRevealedSeed))

  /** Import keys read from the golden row, before they expired. */
  const keys = new StoredSecretImportKeys({
    organizationId,
    keyring,
    ledger: { row: () => fromHex(importTargets.row) } as unknown as Ledger,
    changes: { putRow: () => undefined } as unknown as Changes,
    random: () => new Uint8Array(0),
    nowMs: 0,
  })

  t.test(`${file}: opens secrets with and without name and properties`, async (t) => {
    for (const { record, name, properties, content } of golden.secrets) {
      const opened = openRecord(fromHex(record), keyring.records)
      t.match(opened, { kind: RecordKind.SECRET, organizationId })
      t.equal(dangerouslyRevealText(openSecret(opened, keyring.records)), content)
      const stored = fromBinary(SecretRecordSchema, opened.payload)
      t.equal(stored.name, name)
      t.same(Object.fromEntries(stored.staticProperties.map(({ key, value }) => [key, value])), properties)
    }
    t.equal(golden.secrets.length, 2)
  })

  t.test(`${file}: opens import keys for their user, and no used one`, async (t) => {
    const open = (publicKeyHex: string, user = userId) => {
      const [key] = keys.spend(user, [{ publicKeyHex, field: "field" }])
      return key && toHex(p256Point(p256PrivateKey(key)))
    }
    for (const point of importTargets.targets) {
      t.equal(open(point), point)
      t.throws(() => open(point, organizationId), { code: "SEAL_BROKEN" }, "sealed for its user")
    }
    for (const point of importTargets.spent) t.throws(() => open(point), { code: "IMPORT_TARGET_SPENT" })
    t.same([importTargets.targets.length, importTargets.spent.length], [2, 2])
  })
}
