import { create, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf"
import { ImportTargetStateSchema } from "../../../../../proto/gen/countersign/state/v1/import_target_pb.ts"
import { p256Point, p256PrivateKey } from "../../../../core/crypto/p256.ts"
import type { Secret } from "../../../../core/crypto/secret.ts"
import { refuse } from "../../../../core/refusal.ts"
import type { ImportKind } from "../../../activities/powers/keys.ts"
import { createPrivateKey } from "../../../keys/private-key.ts"
import { type SealBinding, seal, unseal } from "../../../keys/seal.ts"
import type { RowName } from "../../../ledger/ledger.ts"
import type { ExecutionDeps } from "../../../execution/state/deps.ts"
import type { Changes } from "../../../execution/workspace/changes.ts"

const HOUR_MS = 60 * 60 * 1000

/** Lifetime of an import key. */
export const IMPORT_KEY_LIFETIME_MS = HOUR_MS

/** A row is kept this much longer, until every request stamped before its key expired has expired itself. */
export const KEPT_AFTER_EXPIRY_MS = HOUR_MS

export type ImportKeySource = Pick<ExecutionDeps, "keyring" | "ledger" | "random"> & {
  organizationId: string
  changes: Changes
  nowMs: number
}

/**
 * Keys that users of one organization seal imports to, one for each user and kind of import. They are stored sealed in
 * the ledger only: no order brings one, so none can be moved, withheld or replayed.
 */
export class StoredImportKeys {
  readonly #source: ImportKeySource

  constructor(source: ImportKeySource) {
    this.#source = source
  }

  make(userId: string, kind: ImportKind): Uint8Array {
    const { keyring, random, nowMs } = this.#source
    const { epoch, seal: sealingKey } = keyring.records
    const { secret } = createPrivateKey("CURVE_P256", random)
    try {
      const sealed = seal(sealingKey, this.#bindingOf(userId, kind, epoch), secret, random)
      this.#put(userId, kind, { sealed, epoch, expiresAtMs: BigInt(nowMs + IMPORT_KEY_LIFETIME_MS) })
      return p256Point(p256PrivateKey(secret))
    } finally {
      secret.wipe()
    }
  }

  spend(userId: string, kind: ImportKind, field: string): Secret {
    const { organizationId, keyring, ledger, nowMs } = this.#source
    const name = rowNameOf(userId, kind)
    const row = ledger.row(organizationId, name.kind, name.key)
    if (row === undefined) {
      const sentence = `no import key: call init_import_${kind.replace("-", "_")} first`
      throw refuse("IMPORT_TARGET_UNKNOWN", sentence, { field })
    }
    const { sealed, epoch, expiresAtMs } = fromBinary(ImportTargetStateSchema, row)
    if (sealed.length === 0)
      throw refuse("IMPORT_TARGET_SPENT", "the key of the import bundle was used: ask for another", { field })
    if (expiresAtMs <= nowMs) {
      const sentence = "the key of the import bundle has expired: ask for another"
      throw refuse("IMPORT_TARGET_EXPIRED", sentence, { field })
    }
    this.#put(userId, kind, { sealed: new Uint8Array(0), epoch, expiresAtMs })
    return unseal(keyring.records.seal, this.#bindingOf(userId, kind, epoch), sealed)
  }

  #put(
    userId: string,
    kind: ImportKind,
    state: MessageInitShape<typeof ImportTargetStateSchema> & { expiresAtMs: bigint },
  ): void {
    const value = toBinary(ImportTargetStateSchema, create(ImportTargetStateSchema, state))
    const expiresMs = Number(state.expiresAtMs) + KEPT_AFTER_EXPIRY_MS
    this.#source.changes.putRow({ ...rowNameOf(userId, kind), value, expiresMs })
  }

  /** An import key never changes, so its seal always has version 1. */
  #bindingOf(userId: string, kind: ImportKind, epoch: number): SealBinding {
    const { organizationId } = this.#source
    return { kind: `import-target:${kind}`, organizationId, id: userId, version: 1n, epoch }
  }
}

function rowNameOf(userId: string, kind: ImportKind): RowName {
  return { kind: "import-target", key: `${kind}/${userId}` }
}
