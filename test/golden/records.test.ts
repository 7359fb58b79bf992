// Records and import targets of every released format open, whatever this release writes itself.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fromBinary } from "@bufbuild/protobuf"
import t from "tap"
import {
  PrivateKeyRecordSchema,
  RecordKind,
  WalletAccountRecordSchema,
} from "../../proto/gen/countersign/state/v1/record_pb.ts"
import type { Changes } from "../../signer/enclave/execution/workspace/changes.ts"
import { StoredImportKeys } from "../../signer/enclave/modules/wallets/powers/import-keys.ts"
import { addressOf } from "../../signer/enclave/keys/address/index.ts"
import { deriveKey } from "../../signer/enclave/keys/derive/index.ts"
import { mnemonicFromEntropy, seedFromMnemonic } from "../../signer/enclave/keys/mnemonic.ts"
import { p256Point, p256PrivateKey } from "../../signer/core/crypto/p256.ts"
import { parsePath } from "../../signer/core/address/path.ts"
import { readPrivateKey } from "../../signer/enclave/keys/private-key.ts"
import type { Secret } from "../../signer/core/crypto/secret.ts"
import { SigningKey } from "../../signer/enclave/keys/signing-key.ts"
import { seedOf, sourceOf } from "../../signer/enclave/keys/wallet-secret.ts"
import { curveName } from "../../signer/enclave/keys/wire.ts"
import type { Ledger } from "../../signer/enclave/ledger/ledger.ts"
import { openKeyring } from "../../signer/enclave/provision/keyring.ts"
import { openRecord, openSecret } from "../../signer/enclave/records/record.ts"
import {
  dangerouslyRevealHex,
  dangerouslyRevealText,
  fromHex,
  secretOf,
  toHex,
} from "../signer/enclave/keys/tools.ts"
import type { GoldenRecords } from "./records.ts"

/** One for each released format, never changed once it is here. */
const FILES = ["records-1.json"]

for (const file of FILES) {
  const golden = JSON.parse(readFileSync(join(import.meta.dirname, file), "utf8")) as GoldenRecords
  const keyring = openKeyring(secretOf(golden.dangerouslyRevealedSeed))
  const keys = keyring.records

  t.test(`${file}: opens wallets of every length, imported wallets and their accounts`, async (t) => {
    for (const { title, walletId, record, account, address, words, passphrase } of golden.wallets) {
      const wallet = openRecord(fromHex(record), keys)
      t.match(wallet, { id: walletId, kind: RecordKind.WALLET, organizationId: golden.organizationId })
      const secret = openSecret(wallet, keys)
      const source = sourceOf(secret)
      const made = mnemonicFromEntropy(source.entropy)
      if (words !== undefined) t.equal(dangerouslyRevealText(made), words, title)
      t.equal(dangerouslyRevealText(source.passphrase), passphrase, title)
      const seed = seedOf(secret)
      const expected = seedFromMnemonic(made, source.passphrase)
      t.equal(dangerouslyRevealHex(seed), dangerouslyRevealHex(expected), title)
      const stored = fromBinary(WalletAccountRecordSchema, openRecord(fromHex(account), keys).payload)
      t.match(stored, { walletId, address })
      const key = deriveKey(curveName(stored.curve), seed, parsePath(stored.path))
      t.equal(addressOf("ADDRESS_FORMAT_ETHEREUM", key), address, title)
    }
    t.equal(golden.wallets.length, 7)
  })

  t.test(`${file}: opens private keys of every curve`, async (t) => {
    for (const { curve, record, raw, address } of golden.privateKeys) {
      const opened = openRecord(fromHex(record), keys)
      const secret = openSecret(opened, keys)
      t.equal(dangerouslyRevealHex(secret), raw, curve)
      const stored = fromBinary(PrivateKeyRecordSchema, opened.payload)
      const key = new SigningKey(readPrivateKey(curveName(stored.curve), secret, "field"))
      t.same([key.publicKeyHex, stored.addresses[0]?.address], [address, address])
    }
    t.equal(golden.privateKeys.length, 3)
  })

  t.test(`${file}: opens import keys`, async (t) => {
    for (const { kind, row, targetPublic } of golden.importTargets) {
      const open = (userId: string): Secret => targetsOf(golden, fromHex(row)).spend(userId, kind, "field")
      t.equal(toHex(p256Point(p256PrivateKey(open(golden.userId)))), targetPublic, kind)
      t.throws(() => open(golden.organizationId), { code: "SEAL_BROKEN" }, "sealed for its user")
    }
    t.equal(golden.importTargets.length, 2)
  })

  /** Import keys read from the golden row, before they expired. */
  function targetsOf({ organizationId }: GoldenRecords, row: Uint8Array): StoredImportKeys {
    return new StoredImportKeys({
      organizationId,
      keyring,
      ledger: { row: () => row } as unknown as Ledger,
      changes: { putRow: () => undefined } as unknown as Changes,
      random: () => new Uint8Array(0),
      nowMs: 0,
    })
  }
}
