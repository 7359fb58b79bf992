import { fromBinary } from "@bufbuild/protobuf"
import {
  type Record,
  PrivateKeyRecordSchema,
  RecordKind,
  WalletAccountRecordSchema,
} from "../../../../proto/gen/countersign/state/v1/record_pb.ts"
import type { Vault } from "../../activities/activity.ts"
import type { KeyCache } from "../../keys/cache.ts"
import { deriveKey } from "../../keys/derive/index.ts"
import { parsePath } from "../../../core/address/path.ts"
import type { Secret } from "../../../core/crypto/secret.ts"
import { SigningKey, type SigningScheme } from "../../keys/signing-key.ts"
import { seedOf } from "../../keys/wallet-secret.ts"
import { curveName } from "../../keys/wire.ts"
import type { Ledger } from "../../ledger/ledger.ts"
import type { Keyring } from "../../provision/keyring.ts"
import { openSecret } from "../../records/record.ts"
import { refuse } from "../../../core/refusal.ts"
import type { Records } from "./records.ts"
import { cacheName, nameAsGiven, signingScheme } from "./sign-with.ts"
import { type AccountTarget, accountTargetOf, signTargetOf } from "./targets.ts"

/**
 * Keys of one organization, for the length of one order. Keys live on in the cache, from which this process takes
 * those of an account or private key once its end is in the ledger (commit.ts): it ends through this process only.
 */
export class OrderVault implements Vault {
  readonly #organizationId: string
  readonly #records: Records
  readonly #keyring: Keyring
  readonly #targetDeps: { keyring: Keyring; ledger: Ledger }
  readonly #cache: KeyCache<SigningKey>
  readonly #nowMs: number

  constructor(deps: {
    organizationId: string
    records: Records
    keyring: Keyring
    ledger: Ledger
    cache: KeyCache<SigningKey>
    nowMs: number
  }) {
    this.#organizationId = deps.organizationId
    this.#records = deps.records
    this.#keyring = deps.keyring
    this.#targetDeps = deps
    this.#cache = deps.cache
    this.#nowMs = deps.nowMs
  }

  openSecret(record: Record): Secret {
    return openSecret(record, this.#keyring.records)
  }

  /** @throws SIGN_WITH_UNKNOWN, RECORD_DELETED for the id of a private key that is no more */
  signingKey(signWith: string): SigningKey {
    // Most callers write what creation answered, which is canonical for most formats: a look-up before any reading.
    const asGiven = this.#cache.get(nameAsGiven(this.#organizationId, signWith), this.#nowMs)
    if (asGiven !== undefined) return asGiven
    const name = cacheName(this.#organizationId, signWith)
    const cached = this.#cache.get(name, this.#nowMs)
    if (cached !== undefined) return cached
    const target = signTargetOf(this.#organizationId, signWith, this.#targetDeps)
    const scheme = signingScheme(signWith)
    const key =
      "privateKeyId" in target ? this.#open(target.privateKeyId, scheme) : this.#derive(target, scheme)
    this.#cache.set(name, key, this.#nowMs)
    return key
  }

  account(address: string, field: string): { account: Record; wallet: Record } {
    const target = accountTargetOf(this.#organizationId, address, field, this.#targetDeps)
    return this.#openAccount(target)
  }

  #open(privateKeyId: string, scheme: SigningScheme): SigningKey {
    const record = this.#records.open({ kind: RecordKind.PRIVATE_KEY, id: privateKeyId })
    const { curve } = fromBinary(PrivateKeyRecordSchema, record.payload)
    const secret = this.openSecret(record)
    try {
      return new SigningKey({ curve: curveName(curve), secret }, scheme)
    } finally {
      secret.wipe()
    }
  }

  #derive(target: AccountTarget, scheme: SigningScheme): SigningKey {
    const { account, wallet } = this.#openAccount(target)
    const { curve, path } = fromBinary(WalletAccountRecordSchema, account.payload)
    const secret = this.openSecret(wallet)
    const seed = seedOf(secret)
    secret.wipe()
    try {
      return deriveKey(curveName(curve), seed, parsePath(path, "path"), scheme)
    } finally {
      seed.wipe()
    }
  }

  #openAccount({ accountId, walletId }: AccountTarget): { account: Record; wallet: Record } {
    const accountName = { kind: RecordKind.WALLET_ACCOUNT, id: accountId }
    const walletName = { kind: RecordKind.WALLET, id: walletId }
    this.#records.requireAtHand([accountName, walletName])
    const account = this.#records.open(accountName)
    if (fromBinary(WalletAccountRecordSchema, account.payload).walletId !== walletId) {
      throw refuse("RECORD_UNEXPECTED", "the stored account is not one of the stored wallet")
    }
    return { account, wallet: this.#records.open(walletName) }
  }
}
