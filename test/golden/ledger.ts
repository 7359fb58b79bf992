import type { LedgerRow } from "../../signer/enclave/ledger/ledger.ts"

/** A ledger as a release left it. Made by make-ledger.ts. */
export type GoldenLedger = {
  /** The ledger's key, in hex: used for nothing else. */
  key: string
  /** The ledger's files by name, as gzip in base64. */
  files: { [name: string]: string }
  sequence: string
  floorMs: number
  quietUntilMs: number
  /** Rows in an organization's own shard, beyond which rows were written to overflow shards. */
  ownRows: number
}

export const OWN_ROWS = 8
export const HEAD = { version: 1n, digest: new Uint8Array(32).fill(5) }

const row = (kind: LedgerRow["kind"], key: string, expiresMs?: number): LedgerRow => {
  const value = new Uint8Array(Buffer.from(`${kind} ${key}`))
  return { kind, key, value, ...(expiresMs !== undefined && { expiresMs }) }
}

/** Rows by shard, as they are written to every golden ledger. `""` is the deployment's own shard. */
export const ROWS: { [shard: string]: LedgerRow[] } = {
  "": [row("setup", "code"), row("identity", "claimed secret"), row("clock", "")],
  org: [
    row("archive-document", ""),
    ...Array.from({ length: 40 }, (_, index) => row("address", `address ${index}`)),
    ...Array.from({ length: 20 }, (_, index) => row("fingerprint", `request ${index}`, 2e12 + index)),
    ...Array.from({ length: 20 }, (_, index) => row("wallet-account", `wallet/${index}`)),
  ],
  twin: [row("record", "clé €"), row("session", "key", 2e12)],
  "org#0123": [row("identity", "0123"), row("fingerprint", "0123", 2e12)],
  "#4567": [row("issuer", "4567", 2e12)],
}

/** Outcomes that were not acknowledged. Format 2 had them in the deployment's own shard. */
export const WAITING: LedgerRow[] = [row("outcome", "org/1/key"), row("outcome", "twin/2/key")]
