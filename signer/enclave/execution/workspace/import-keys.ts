import { create, fromBinary, toBinary } from "@bufbuild/protobuf"
import {
  type ImportTargetState,
  ImportTargetStateSchema,
} from "../../../../proto/gen/countersign/state/v1/import_target_pb.ts"
import type { ImportKind, ImportKeyStore } from "../../activities/activity.ts"
import { p256Point, p256PrivateKey } from "../../../core/crypto/p256.ts"
import { createPrivateKey } from "../../keys/private-key.ts"
import { type SealBinding, seal, unseal } from "../../keys/seal.ts"
import type { Secret } from "../../../core/crypto/secret.ts"
import type { Ledger, RowName } from "../../ledger/ledger.ts"
import type { Keyring } from "../../provision/keyring.ts"
import { refuse } from "../../../core/refusal.ts"
import type { Changes } from "./changes.ts"

const HOUR_MS = 60 * 60 * 1000

/** How long a key to import to is good for. */
const TARGET_LIFE_MS = HOUR_MS

/** How much longer is known what became of it: no body that was stamped before lives any more. */
const REMEMBERED_MS = HOUR_MS

/**
 * Keys that users of one organization seal imports to. They stand in the ledger, sealed once more, and nowhere else:
 * no order brings one, so there is none to move, keep back or show again. A user has one for each kind of import.
 */
export class ImportKeys implements ImportKeyStore {
  readonly #organizationId: string
  readonly #keyring: Keyring
  readonly #ledger: Ledger
  readonly #changes: Changes
  readonly #random: (length: number) => Uint8Array
  readonly #nowMs: number

  constructor(deps: {
    organizationId: string
    keyring: Keyring
    ledger: Ledger
    changes: Changes
    random: (length: number) => Uint8Array
    nowMs: number
  }) {
    this.#organizationId = deps.organizationId
    this.#keyring = deps.keyring
    this.#ledger = deps.ledger
    this.#changes = deps.changes
    this.#random = deps.random
    this.#nowMs = deps.nowMs
  }

  make(userId: string, kind: ImportKind): Uint8Array {
    const { epoch, seal: sealingKey } = this.#keyring.records
    const { secret } = createPrivateKey("CURVE_P256", this.#random)
    try {
      const sealed = seal(sealingKey, this.#bindingOf(userId, kind, epoch), secret, this.#random)
      this.#put(userId, kind, { sealed, epoch, expiresAtMs: BigInt(this.#nowMs + TARGET_LIFE_MS) })
      return p256Point(p256PrivateKey(secret))
    } finally {
      secret.wipe()
    }
  }

  spend(userId: string, kind: ImportKind, field: string): Secret {
    const row = this.#ledger.row(this.#organizationId, ...placeOf(userId, kind))
    if (row === undefined) {
      const sentence = "nothing was asked for to import to: send the init activity of this import first"
      throw refuse("IMPORT_TARGET_UNKNOWN", sentence, { field })
    }
    const { sealed, epoch, expiresAtMs } = fromBinary(ImportTargetStateSchema, row)
    if (sealed.length === 0) {
      throw refuse("IMPORT_TARGET_SPENT", "the key of the import bundle was used: ask for another", { field })
    }
    if (expiresAtMs <= this.#nowMs) {
      throw refuse("IMPORT_TARGET_EXPIRED", "the key of the import bundle has expired: ask for another", {
        field,
      })
    }
    this.#put(userId, kind, { sealed: new Uint8Array(0), epoch, expiresAtMs })
    return unseal(this.#keyring.records.seal, this.#bindingOf(userId, kind, epoch), sealed)
  }

  #put(userId: string, kind: ImportKind, state: Omit<ImportTargetState, "$typeName" | "$unknown">): void {
    const [rowKind, key] = placeOf(userId, kind)
    const value = toBinary(ImportTargetStateSchema, create(ImportTargetStateSchema, state))
    const expiresMs = Number(state.expiresAtMs) + REMEMBERED_MS
    this.#changes.putRow({ kind: rowKind, key, value, expiresMs })
  }

  /** A key is never changed, so its seal is of version 1 always. */
  #bindingOf(userId: string, kind: ImportKind, epoch: number): SealBinding {
    return {
      kind: `import-target:${kind}`,
      organizationId: this.#organizationId,
      id: userId,
      version: 1n,
      epoch,
    }
  }
}

function placeOf(userId: string, kind: ImportKind): [RowName["kind"], string] {
  return ["import-target", `${kind}/${userId}`]
}
