import type { SecretPurpose } from "../../../core/fetch-orders/bound-secret.ts"
import type { Refusal } from "../../../core/refusal.ts"
import { DEPLOYMENT, type LedgerRow } from "../../ledger/ledger.ts"
import type { ExecutionDeps } from "../state/deps.ts"
import { sealedSecretKey } from "../state/ledger-keys.ts"

/** Secrets that were sealed to the fetcher, which one activity claims for its organization. */
export class SecretClaims {
  /** Rows of the deployment that must be new. */
  readonly rows: LedgerRow[] = []
  readonly #organizationId: string
  readonly #deps: Pick<ExecutionDeps, "keyring" | "ledger">

  constructor(organizationId: string, deps: Pick<ExecutionDeps, "keyring" | "ledger">) {
    this.#organizationId = organizationId
    this.#deps = deps
  }

  /** @throws `refusal` for a secret of another organization */
  claim(purpose: SecretPurpose, sealed: Uint8Array, refusal: () => Refusal): void {
    const { keyring, ledger } = this.#deps
    const row = { kind: "identity", key: sealedSecretKey(keyring, purpose, sealed) } as const
    const owner = ledger.row(DEPLOYMENT, row.kind, row.key)
    const value = Buffer.from(this.#organizationId)
    if (owner === undefined) this.rows.push({ ...row, value })
    else if (!value.equals(owner)) throw refusal()
  }
}
