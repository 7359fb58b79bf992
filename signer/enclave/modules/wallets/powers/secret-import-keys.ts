import { create, fromBinary, toBinary } from "@bufbuild/protobuf"
import {
  type SecretImportTarget,
  SecretImportTargetSchema,
  SecretImportTargetsSchema,
} from "../../../../../proto/gen/countersign/state/v1/import_target_pb.ts"
import { p256Point, p256PrivateKey } from "../../../../core/crypto/p256.ts"
import { type Secret, wiping } from "../../../../core/crypto/secret.ts"
import { refuse } from "../../../../core/refusal.ts"
import type { NamedImportKey } from "../../../activities/powers/keys.ts"
import { createPrivateKey } from "../../../keys/private-key.ts"
import { type SealBinding, seal, unseal } from "../../../keys/seal.ts"
import type { RowName } from "../../../ledger/ledger.ts"
import { IMPORT_KEY_LIFETIME_MS, type ImportKeySource, KEPT_AFTER_EXPIRY_MS } from "./import-keys.ts"

/** Keys of one user that are kept. One more replaces a used one, or else the oldest; never a key of another user. */
const MAX_SECRET_IMPORT_KEYS = 64

const SPENT = new Uint8Array(0)

/**
 * Keys that users of one organization seal secrets to: each for one secret, several of one user at a time. As other import
 * keys they are stored sealed in the ledger only.
 */
export class StoredSecretImportKeys {
  readonly #source: ImportKeySource

  constructor(source: ImportKeySource) {
    this.#source = source
  }

  make(userId: string, count: number): Uint8Array[] {
    const { nowMs } = this.#source
    const known = this.#read(userId).filter(({ state }) => expiryOf(state) > nowMs)
    const made = Array.from({ length: count }, () => this.#create(userId))
    this.#put(userId, latest([...known, ...made]))
    return made.map(({ point }) => point)
  }

  spend(userId: string, keys: readonly NamedImportKey[]): Secret[] {
    const targets = this.#read(userId)
    const opened: Secret[] = []
    try {
      for (const { publicKeyHex, field } of keys)
        opened.push(this.#spend(userId, targets, publicKeyHex, field))
    } catch (fault) {
      for (const secret of opened) secret.wipe()
      throw fault
    }
    this.#put(userId, targets)
    return opened
  }

  /** Marks the target as spent, so that a second secret of the same import finds it spent. */
  #spend(userId: string, targets: SecretImportTarget[], publicKeyHex: string, field: string): Secret {
    const { keyring, nowMs } = this.#source
    const wanted = Buffer.from(publicKeyHex, "hex")
    const target = targets.find(({ point }) => wanted.equals(point))
    if (target?.state === undefined) {
      const sentence = "no import key of yours has this point: call init_import_secrets first"
      throw refuse("IMPORT_TARGET_UNKNOWN", sentence, { field })
    }
    const { sealed, epoch } = target.state
    if (isSpent(target))
      throw refuse("IMPORT_TARGET_SPENT", "the import key was used: call init_import_secrets again", {
        field,
      })
    if (expiryOf(target.state) <= nowMs)
      throw refuse("IMPORT_TARGET_EXPIRED", "the import key has expired: call init_import_secrets again", {
        field,
      })
    target.state.sealed = SPENT
    return unseal(keyring.records.seal, this.#bindingOf(userId, target.point, epoch), sealed)
  }

  #create(userId: string): SecretImportTarget {
    const { keyring, random, nowMs } = this.#source
    const { epoch, seal: sealingKey } = keyring.records
    const { secret } = createPrivateKey("CURVE_P256", random)
    return wiping([secret], () => {
      const point = p256Point(p256PrivateKey(secret))
      const sealed = seal(sealingKey, this.#bindingOf(userId, point, epoch), secret, random)
      const state = { sealed, epoch, expiresAtMs: BigInt(nowMs + IMPORT_KEY_LIFETIME_MS) }
      return create(SecretImportTargetSchema, { point, state })
    })
  }

  #read(userId: string): SecretImportTarget[] {
    const { organizationId, ledger } = this.#source
    const { kind, key } = rowNameOf(userId)
    const row = ledger.row(organizationId, kind, key)
    return row === undefined ? [] : fromBinary(SecretImportTargetsSchema, row).targets
  }

  #put(userId: string, targets: SecretImportTarget[]): void {
    const value = toBinary(SecretImportTargetsSchema, create(SecretImportTargetsSchema, { targets }))
    const newest = Math.max(...targets.map(({ state }) => expiryOf(state)))
    this.#source.changes.putRow({ ...rowNameOf(userId), value, expiresMs: newest + KEPT_AFTER_EXPIRY_MS })
  }

  /** An import key never changes, so its seal always has version 1. */
  #bindingOf(userId: string, point: Uint8Array, epoch: number): SealBinding {
    const { organizationId } = this.#source
    const id = `${userId}/${Buffer.from(point).toString("hex")}`
    return { kind: "import-target:secret", organizationId, id, version: 1n, epoch }
  }
}

/** The targets that are kept, in their order. Above the maximum, spent ones are dropped first, then the oldest. */
function latest(targets: readonly SecretImportTarget[]): SecretImportTarget[] {
  const excess = Math.max(0, targets.length - MAX_SECRET_IMPORT_KEYS)
  const byUse = [...targets.filter(isSpent), ...targets.filter((target) => !isSpent(target))]
  const dropped = new Set(byUse.slice(0, excess))
  return targets.filter((target) => !dropped.has(target))
}

function isSpent({ state }: SecretImportTarget): boolean {
  return state === undefined || state.sealed.length === 0
}

function expiryOf(state: SecretImportTarget["state"]): number {
  return Number(state?.expiresAtMs ?? 0n)
}

function rowNameOf(userId: string): RowName {
  return { kind: "import-target", key: `secret/${userId}` }
}
