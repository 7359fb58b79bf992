import { hash, randomBytes } from "node:crypto"
import { create, toBinary } from "@bufbuild/protobuf"
import { AddressFormat, Curve, PathFormat } from "../../proto/gen/countersign/api/v1/enums_pb.ts"
import { RecordKind, WalletAccountRecordSchema } from "../../proto/gen/countersign/state/v1/record_pb.ts"
import { archiveKey, ArchivedRecords } from "../../signer/enclave/execution/state/archived-records.ts"
import type { HeldKey } from "../../signer/enclave/execution/state/held-key.ts"
import type { HeldWallet } from "../../signer/enclave/execution/state/held-wallet.ts"
import { Records } from "../../signer/enclave/execution/workspace/records.ts"
import { OrderVault } from "../../signer/enclave/modules/wallets/powers/vault.ts"
import { KeyCache } from "../../signer/enclave/keys/cache.ts"
import type { Signable } from "../../signer/enclave/keys/signing-key.ts"
import { makeRecord, writeRecord } from "../../signer/enclave/records/record.ts"
import { makeWallet } from "./accounts.ts"
import { OneAccountLedger } from "./one-account-ledger.ts"
import type { OwnSigner } from "./own-signer.ts"

const message = randomBytes(64)
const digest = hash("sha256", message, "buffer")

/** Curves in turn: OpenSSL holds the keys of two of them. */
const kinds: readonly { curve: Curve; path: (at: number) => string; input: Signable }[] = [
  { curve: Curve.SECP256K1, path: (at) => `m/44'/60'/0'/0/${at}`, input: { digest } },
  { curve: Curve.ED25519, path: (at) => `m/44'/501'/0'/${at}'`, input: { message } },
  { curve: Curve.P256, path: (at) => `m/44'/0'/0'/0/${at}`, input: { digest, sha256Of: message } },
]

const HOUR_MS = 3_600_000

/** Any number of accounts of one wallet, each made when it signs, with real records. */
export class ManyAccounts {
  readonly #own: OwnSigner
  readonly #cache: KeyCache<HeldKey>
  readonly #wallets = new KeyCache<HeldWallet>({ maxEntries: 1, ttlMs: HOUR_MS })
  readonly #walletId: string
  readonly #ledger: OneAccountLedger

  private constructor(own: OwnSigner, cache: KeyCache<HeldKey>, walletId: string) {
    this.#own = own
    this.#cache = cache
    this.#walletId = walletId
    this.#ledger = new OneAccountLedger(own.state.keyring)
  }

  static async open(own: OwnSigner, cache: KeyCache<HeldKey>): Promise<ManyAccounts> {
    const { walletId } = await makeWallet(own, [])
    return new ManyAccounts(own, cache, walletId)
  }

  /** Signs with account `at` through a vault like any order's. */
  sign(at: number): void {
    const { keyring, nowMs } = this.#own.state
    const { organizationId } = this.#own
    const { input } = kinds[at % kinds.length]!
    const id = `${at.toString(16).padStart(8, "0")}-0000-7000-8000-000000000000`
    // The vault finds an account by the ledger's address, which need not be the key's own.
    const address = `0x${at.toString(16).padStart(40, "0")}`
    const archive = new Map([
      [archiveKey(RecordKind.WALLET_ACCOUNT, id), this.#record(at, id, address)],
      [archiveKey(RecordKind.WALLET, this.#walletId), this.#own.record(this.#walletId)],
    ])
    this.#ledger.know(address, id, this.#walletId, archive)
    const ledger = this.#ledger.asLedger()
    const { rollback } = this.#own.state
    const records = new Records(organizationId, [], keyring.records, { ledger, rollback })
    const copies = new ArchivedRecords(ledger, keyring.records)
    const source = {
      organizationId,
      records,
      keyring,
      ledger,
      archive: copies,
      cache: this.#cache,
      heldWallets: this.#wallets,
    }
    new OrderVault({ ...source, nowMs: nowMs() }).signingKey(address).sign(input)
  }

  #record(at: number, id: string, address: string): Uint8Array {
    const { curve, path } = kinds[at % kinds.length]!
    const account = create(WalletAccountRecordSchema, {
      walletId: this.#walletId,
      curve,
      path: path(at),
      pathFormat: PathFormat.BIP32,
      addressFormat: AddressFormat.COMPRESSED,
      address,
    })
    const { organizationId, state } = this.#own
    const payload = toBinary(WalletAccountRecordSchema, account)
    const draft = { kind: RecordKind.WALLET_ACCOUNT, organizationId, id, version: 1n, payload }
    return writeRecord(makeRecord(draft, state.keyring.records, randomBytes))
  }
}
