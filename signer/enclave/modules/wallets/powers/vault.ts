import { fromBinary } from "@bufbuild/protobuf"
import {
  PrivateKeyRecordSchema,
  type Record,
  RecordKind,
  WalletAccountRecordSchema,
} from "../../../../../proto/gen/countersign/state/v1/record_pb.ts"
import { parsePath } from "../../../../core/address/path.ts"
import { type Secret, wiping } from "../../../../core/crypto/secret.ts"
import { refuse } from "../../../../core/refusal.ts"
import { runAtOnce } from "../../../../core/turns/steps.ts"
import type { Vault } from "../../../activities/powers/keys.ts"
import type { KeyCache } from "../../../keys/cache.ts"
import { SigningKey, type SigningScheme } from "../../../keys/signing-key.ts"
import { seedOf } from "../../../keys/wallet-secret.ts"
import { curveName } from "../../../keys/wire.ts"
import { openSecret } from "../../../records/record.ts"
import type { RecordName } from "../../../execution/state/archived-records.ts"
import type { ExecutionDeps } from "../../../execution/state/deps.ts"
import { HeldKey } from "../../../execution/state/held-key.ts"
import { type HeldWallet, lastPathsOf } from "../../../execution/state/held-wallet.ts"
import type { Records, RecordsOf } from "../../../execution/workspace/records.ts"
import type { AccountTarget } from "./sign-with.ts"
import { cacheName, nameAsGiven } from "../../../execution/workspace/cache-names.ts"
import { accountTargetOf, rowsOfTarget, signTargetOf, signingScheme } from "./sign-with.ts"

type Source = Pick<ExecutionDeps, "keyring" | "ledger" | "archive"> & {
  organizationId: string
  records: Records
  cache: KeyCache<HeldKey>
  heldWallets: KeyCache<HeldWallet>
  nowMs: number
}

/**
 * Keys of one organization during one order. Derived keys stay in the cache, and sign while the ledger has their rows as they
 * were. A key that is not in the cache is opened from the ledger's own copies of its records. Asking for them would cost a
 * second stamp, a statement and a round trip. The key of a deleted account or private key is wiped once the ledger has the
 * deletion (commit.ts).
 */
export class OrderVault implements Vault {
  readonly #source: Source

  constructor(source: Source) {
    this.#source = source
  }

  openSecret(record: Record): Secret {
    return openSecret(record, this.#source.keyring.records)
  }

  /** @throws SIGN_WITH_UNKNOWN, RECORD_DELETED for the id of a deleted private key */
  signingKey(signWith: string, field?: string): SigningKey {
    const { organizationId, cache, ledger, nowMs } = this.#source
    // Most callers write the canonical spelling that creation returned: try it before parsing.
    const asGiven = this.#held(nameAsGiven(organizationId, signWith))
    if (asGiven !== undefined) return asGiven
    const name = cacheName(organizationId, signWith)
    const cached = this.#held(name)
    if (cached !== undefined) return cached
    const target = signTargetOf(organizationId, signWith, this.#source, field)
    const scheme = signingScheme(signWith)
    const key =
      "privateKeyId" in target ? this.#open(target.privateKeyId, scheme) : this.#derive(target, scheme)
    const rows = rowsOfTarget(target, signWith, this.#source).map((row) => {
      return { ...row, value: ledger.row(organizationId, row.kind, row.key) }
    })
    cache.set(name, new HeldKey(key, rows), nowMs)
    return key
  }

  #held(name: string): SigningKey | undefined {
    const { organizationId, cache, ledger, nowMs } = this.#source
    const held = cache.get(name, nowMs)
    if (held === undefined || held.isCurrent(ledger, organizationId)) return held?.key
    cache.delete(name)
    return undefined
  }

  account(address: string, field: string): { account: Record; wallet: Record } {
    const { organizationId, records } = this.#source
    const names = accountNames(accountTargetOf(organizationId, address, field, this.#source))
    return accountOfWallet(runAtOnce(records.openAll(names)))
  }

  #open(privateKeyId: string, scheme: SigningScheme): SigningKey {
    const [record] = this.#openToSign([{ kind: RecordKind.PRIVATE_KEY, id: privateKeyId }] as const)
    const { curve } = fromBinary(PrivateKeyRecordSchema, record.payload)
    const secret = this.openSecret(record)
    try {
      return new SigningKey({ curve: curveName(curve), secret }, scheme)
    } finally {
      secret.wipe()
    }
  }

  #derive(target: AccountTarget, scheme: SigningScheme): SigningKey {
    const { account, wallet } = accountOfWallet(this.#openToSign(accountNames(target)))
    const { curve, path } = fromBinary(WalletAccountRecordSchema, account.payload)
    const openSeed = () => {
      const secret = this.openSecret(wallet)
      return wiping([secret], () => seedOf(secret))
    }
    const paths = lastPathsOf(cacheName(this.#source.organizationId, wallet.id), wallet, this.#source)
    return paths.derive(curveName(curve), parsePath(path, "path"), openSeed, scheme)
  }

  /** Records that the order brought are checked all the same: newer ones show that the ledger was set back. */
  #openToSign<Names extends readonly RecordName[]>(names: Names): RecordsOf<Names> {
    const { organizationId, records, archive } = this.#source
    if (!records.isEmpty) return runAtOnce(records.openAll(names))
    return names.map((name) => archive.open(organizationId, name)) as RecordsOf<Names>
  }
}

function accountNames({ accountId, walletId }: AccountTarget): [account: RecordName, wallet: RecordName] {
  return [
    { kind: RecordKind.WALLET_ACCOUNT, id: accountId },
    { kind: RecordKind.WALLET, id: walletId },
  ]
}

function accountOfWallet([account, wallet]: [Record, Record]): { account: Record; wallet: Record } {
  if (fromBinary(WalletAccountRecordSchema, account.payload).walletId !== wallet.id)
    throw refuse("RECORD_UNEXPECTED", "the stored account is not one of the stored wallet")
  return { account, wallet }
}
