import { fromBinary } from "@bufbuild/protobuf"
import {
  type Record,
  RecordKind,
  WalletAccountRecordSchema,
} from "../../proto/gen/countersign/state/v1/record_pb.ts"
import type { Vault } from "../activities/activity.ts"
import { canonicalAddress } from "../keys/address/index.ts"
import type { KeyCache } from "../keys/cache.ts"
import { deriveKey } from "../keys/derive/index.ts"
import { parsePath } from "../keys/path.ts"
import type { Secret } from "../keys/secret.ts"
import type { SigningKey } from "../keys/signing-key.ts"
import { seedOf } from "../keys/wallet-secret.ts"
import { curveName } from "../keys/wire.ts"
import type { Ledger } from "../ledger/ledger.ts"
import type { Keyring } from "../provision/keyring.ts"
import { openSecret } from "../record/record.ts"
import { refuse } from "../refusal.ts"
import { addressKey, readAddressTarget } from "./changes.ts"
import type { Records } from "./records.ts"

export type SigningKeys = KeyCache<SigningKey>

/**
 * Keys of one organization, for the length of one order. Derived keys live on in the cache, which this process
 * empties of an account when its record or its wallet's changes: both change through this process only.
 */
export class OrderVault implements Vault {
  readonly #organizationId: string
  readonly #records: Records
  readonly #keyring: Keyring
  readonly #ledger: Ledger
  readonly #cache: SigningKeys
  readonly #nowMs: number

  constructor(deps: {
    organizationId: string
    records: Records
    keyring: Keyring
    ledger: Ledger
    cache: SigningKeys
    nowMs: number
  }) {
    this.#organizationId = deps.organizationId
    this.#records = deps.records
    this.#keyring = deps.keyring
    this.#ledger = deps.ledger
    this.#cache = deps.cache
    this.#nowMs = deps.nowMs
  }

  openSecret(record: Record): Secret {
    return openSecret(record, this.#keyring.records)
  }

  /** @throws SIGN_WITH_UNKNOWN */
  signingKey(signWith: string): SigningKey {
    // By the canonical form: an address has many spellings, and its key lies in memory once.
    const cacheKey = `${this.#organizationId} ${canonicalAddress(signWith)}`
    const cached = this.#cache.get(cacheKey, this.#nowMs)
    if (cached !== undefined) return cached
    const key = this.#derive(signWith)
    this.#cache.set(cacheKey, key, this.#nowMs)
    return key
  }

  #derive(signWith: string): SigningKey {
    const row = this.#ledger.row(this.#organizationId, "address", addressKey(this.#keyring, signWith))
    if (row === undefined) {
      throw refuse(
        "SIGN_WITH_UNKNOWN",
        `Could not find any resource to sign with. Nothing in this organization signs with ${signWith}`,
        {
          field: "parameters.signWith",
        },
      )
    }
    const { accountId, walletId } = readAddressTarget(row)
    this.#records.requireAtHand([
      { kind: RecordKind.WALLET_ACCOUNT, id: accountId },
      { kind: RecordKind.WALLET, id: walletId },
    ])
    const account = fromBinary(
      WalletAccountRecordSchema,
      this.#records.open(RecordKind.WALLET_ACCOUNT, accountId).payload,
    )
    if (account.walletId !== walletId) {
      throw refuse("RECORD_UNEXPECTED", "the stored account is not one of the stored wallet")
    }
    const secret = this.openSecret(this.#records.open(RecordKind.WALLET, walletId))
    const seed = seedOf(secret)
    secret.wipe()
    try {
      return deriveKey(curveName(account.curve), seed, parsePath(account.path, "path"))
    } finally {
      seed.wipe()
    }
  }
}
