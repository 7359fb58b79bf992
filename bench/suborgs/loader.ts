import { runAtOnce } from "../../signer/core/turns/steps.ts"
import { mkdir } from "node:fs/promises"
import type { OrganizationDocument } from "../../proto/gen/countersign/state/v1/document_pb.ts"
import { identitiesOf } from "../../services/api/store/identity-keys.ts"
import { restoreState } from "../../services/api/store/changes.ts"
import { closeDatabase, connectDatabase } from "../../services/database/database.ts"
import { migrate } from "../../services/api/store/migrate.ts"
import { boot } from "../../signer/enclave/boot.ts"
import type { BootedSigner } from "../../signer/enclave/booted-signer.ts"
import { readConfig } from "../../signer/enclave/config.ts"
import { createDeployment } from "../../signer/enclave/create-deployment.ts"
import type { LedgerChange, IndexChange } from "../../signer/enclave/ledger/ledger.ts"
import { notarizeDocument } from "../../signer/enclave/organization/notarize.ts"
import type { ServingState } from "../../signer/enclave/rpc/context.ts"
import { Copier, type SubOrganizationRow } from "./copy.ts"
import { BORN_MS } from "./customers.ts"
import { childDocument, newStampKey, parentDocument, type StampKey } from "./documents.ts"

export type Load = { directory: string; databaseUrl: string; count: number; say: (line: string) => void }

/** A parent whose root user stamps with `company`, and how long its children took to write. */
export type LoadedParent = { parentId: string; company: StampKey; seconds: number }

/** Sub-organizations in one transaction of the ledger. Larger ones write fewer pages, and need more memory. */
const BATCH = 50_000
/** Sub-organizations in memory with all they consist of. */
const CHUNK = 1_000
/** From this number on, creating indexes at the end is faster. */
const MANY = 20_000

/**
 * Makes a deployment with a parent and `count` sub-organizations. Root seed and ledger are as the signer makes them. All
 * documents are signed by its notarizer key and entered into its ledger and its register of identities. The rows of the
 * database are as the API tier would write them. To be run while neither runs.
 */
export async function load({ directory, databaseUrl, count, say }: Load): Promise<LoadedParent> {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const signer = openSigner(directory)
  const company = newStampKey()
  const parent = parentDocument(company)
  const parentId = parent.organizationId
  await storeParent(signer, parent, databaseUrl)
  const startedAt = performance.now()
  const copier = await Copier.open(databaseUrl)
  if (count >= MANY) await copier.dropIndexes()
  for (let from = 0; from < count; from += BATCH) {
    const to = Math.min(from + BATCH, count)
    const entries = new LedgerEntries(signer)
    for (let at = from; at < to; at += CHUNK) {
      const numbers = Array.from({ length: Math.min(CHUNK, to - at) }, (_, index) => at + index)
      await copier.write(numbers.map((number) => entries.add(childDocument(number, parentId, company))))
    }
    await entries.commit()
    say(`  ${to} of ${count} sub-organizations after ${Math.round((performance.now() - startedAt) / 1000)} s`)
  }
  await copier.finish()
  await signer.close()
  return { parentId, company, seconds: (performance.now() - startedAt) / 1000 }
}

function openSigner(directory: string): BootedSigner {
  const clock = { wallMs: () => Date.now(), monotonicMs: () => performance.now() }
  const config = readConfig({ COUNTERSIGN_DATA_DIR: directory })
  createDeployment(config)
  return boot(config, { clock, terminate })
}

function terminate(error: unknown): never {
  throw error
}

async function storeParent(
  signer: BootedSigner,
  document: OrganizationDocument,
  databaseUrl: string,
): Promise<void> {
  const entries = new LedgerEntries(signer)
  const { id: organizationId, createdMs, ...organization } = entries.add(document)
  await entries.commit()
  const sql = connectDatabase({ url: databaseUrl }, { max: 1, statementTimeoutMs: 0 })
  await migrate(sql)
  await restoreState(sql, { organizationId, createdMs, organization, records: [] })
  await closeDatabase(sql)
}

/** Ledger rows of the created organizations, in one transaction. */
class LedgerEntries {
  readonly #signer: ServingState
  readonly #births: LedgerChange[] = []
  readonly #identities: IndexChange[] = []

  constructor(signer: BootedSigner) {
    this.#signer = signer.state()
  }

  /** Signs a document and returns what the database stores of it. */
  add(document: OrganizationDocument): SubOrganizationRow {
    const { keyring, register } = this.#signer
    const { notarized, digest } = notarizeDocument(document, keyring.notary)
    const { organizationId, parentId, name, version } = document
    const { put, index } = runAtOnce(register.changes(undefined, document))
    this.#births.push({
      organizationId,
      expect: undefined,
      head: { version, digest },
      put: [{ kind: "archive-document", key: "", value: notarized }, ...put],
      remove: [],
    })
    this.#identities.push(...index)
    return {
      id: organizationId,
      parentId: parentId || undefined,
      name,
      version,
      document: notarized,
      deleted: false,
      identities: identitiesOf(document),
      createdMs: BORN_MS,
    }
  }

  async commit(): Promise<void> {
    // In the order of the ledger's index: otherwise nearly each entry reads another page of it.
    const inOrder = this.#identities
      .map((change) => ({ change, name: `${change.shard} ${change.update?.[0]?.key}` }))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    await this.#signer.ledger.commit(
      this.#births,
      inOrder.map(({ change }) => change),
    )
  }
}
