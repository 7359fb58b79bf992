import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { Test } from "tap"
import { type DescMessage, equals, fromBinary } from "@bufbuild/protobuf"
import {
  RecordKind,
  RecordSchema,
  type Record as StoredRecord,
} from "../../proto/gen/countersign/state/v1/record_pb.ts"
import { DEPLOYMENT, OUTCOMES, ROW_KINDS } from "../../signer/enclave/ledger/ledger.ts"
import { openSecret } from "../../signer/enclave/records/record.ts"
import type { RefusalName } from "../../signer/core/refusal.ts"
import type { Keyring } from "../../signer/enclave/provision/keyring.ts"
import { type Answer, ApiClient, type Tenant } from "../harness/api-client.ts"
import { authProxyPairing } from "../harness/auth-proxy.ts"
import { InProcessBoundary } from "../harness/boundary.ts"
import { FakeFetcher } from "../harness/fake-fetcher.ts"
import { Reader } from "../harness/bundles.ts"
import { stampWith } from "../harness/stamper.ts"

/** A signer with one organization and its wallet; the test acts as a compromised API tier. */
export type Fixture = {
  boundary: InProcessBoundary
  client: ApiClient
  /** Fetcher paired with the signer, and its issuer. */
  fakeFetcher: FakeFetcher
  acme: Tenant
  walletId: string
  address: string
}

type Teardown = { teardown(clean: () => Promise<void>): unknown }

export async function setup(t: Teardown, settings: { [name: string]: string } = {}): Promise<Fixture> {
  const fakeFetcher = await FakeFetcher.open(t)
  const boundary = new InProcessBoundary(undefined, {
    ...fakeFetcher.pairing,
    ...authProxyPairing,
    ...settings,
  })
  t.teardown(() => boundary.close())
  fakeFetcher.obey(boundary)
  const client = new ApiClient(boundary, fakeFetcher)
  const acme = await client.createOrganization()
  return { boundary, client, fakeFetcher, acme, ...(await client.wallet(acme)) }
}

/** Requests of the root user; types without prefix. */
export function asRoot({ client, acme }: Pick<Fixture, "client" | "acme">) {
  const { organizationId, root } = acme
  const typeOf = (name: string) => `ACTIVITY_TYPE_${name}`
  return {
    /** Expects an outcome. */
    submit: (type: string, parameters: object) =>
      client.submit(root, typeOf(type), organizationId, parameters),
    /** An honest order; returns any answer. */
    attempt: (type: string, parameters: object) =>
      client.send(client.body(typeOf(type), organizationId, parameters), root),
    /** One order sent repeatedly, with the document and the given records. */
    order: (type: string, parameters: object) => {
      const body = client.body(typeOf(type), organizationId, parameters)
      const xStamp = stampWith(root, body)
      return (...records: Uint8Array[]) => {
        const document = client.documents.get(organizationId) ?? new Uint8Array(0)
        return client.order(body, xStamp, { document, records })
      }
    },
  }
}

/** Exports a wallet or private key, for operations that require an earlier export. */
export async function exportOnce(fixture: Pick<Fixture, "client" | "acme">, id: string): Promise<void> {
  const { kind } = fromBinary(RecordSchema, fixture.client.records.get(id)!)
  const { targetPublicKey } = new Reader()
  const { submit } = asRoot(fixture)
  if (kind === RecordKind.WALLET) await submit("EXPORT_WALLET", { walletId: id, targetPublicKey })
  else await submit("EXPORT_PRIVATE_KEY", { privateKeyId: id, targetPublicKey })
}

/** Digest of the ledger: heads and rows of the deployment and of the client's organizations. */
export function ledgerDigest({ boundary, client }: Pick<Fixture, "boundary" | "client">): string {
  const { ledger } = boundary.signer.state()
  const digest = createHash("sha256")
  for (const organizationId of [DEPLOYMENT, OUTCOMES, ...client.documents.keys()]) {
    const head = ledger.head(organizationId)
    digest.update(`${organizationId} ${head?.version}`).update(head?.digest ?? "")
    for (const kind of ROW_KINDS) {
      for (const { key, value, expiresMs } of ledger.rows(organizationId, kind))
        digest.update(`${kind} ${key} ${expiresMs} `).update(value)
    }
  }
  return digest.digest("hex")
}

/** Number of the ledger's last commit. Compares large ledgers in the place of `ledgerDigest`, which reads every row. */
export function ledgerSequence({ boundary }: Pick<Fixture, "boundary">): bigint {
  return boundary.signer.state().ledger.sequence()
}

/**
 * The attack is refused with exactly this code, changes no row of the ledger, and the sentence reveals no secret.
 * An attack may consist of several orders. `traceOf`: how the ledger is compared.
 */
export async function refused(
  t: Test,
  fixture: Pick<Fixture, "boundary" | "client">,
  code: RefusalName,
  attack: () => Promise<Answer>,
  what: string = code,
  traceOf: (fixture: Pick<Fixture, "boundary" | "client">) => unknown = ledgerDigest,
): Promise<void> {
  const before = traceOf(fixture)
  const answer = await attack()
  t.match(answer, { is: "refused", code }, what)
  if (answer.is === "refused") t.notOk(revealsSecret(answer.sentence, fixture), `${what}: tells no secret`)
  t.equal(traceOf(fixture), before, `${what}: leaves no trace`)
}

/** Every altered form is refused with this code; others are listed. Prints the count. */
export async function allRefused<Altered>(
  t: Test,
  fixture: Pick<Fixture, "boundary" | "client">,
  code: RefusalName,
  altered: readonly Altered[],
  attack: (altered: Altered) => Promise<Answer>,
): Promise<void> {
  const before = ledgerDigest(fixture)
  const others: string[] = []
  for (const [index, one] of altered.entries()) {
    const answer = await attack(one)
    const got = answer.is === "refused" ? answer.code : answer.is
    if (got !== code) others.push(`${index}: ${got}`)
    else if (answer.is === "refused" && revealsSecret(answer.sentence, fixture))
      others.push(`${index}: a secret`)
  }
  t.comment(`${altered.length - others.length}/${altered.length} refused ${code}`)
  t.same(others, [])
  t.equal(ledgerDigest(fixture), before, "leaves no trace")
}

/** The bytes with one bit changed, once for each byte and each of the masks. */
export function bitFlips(bytes: Uint8Array, masks: readonly number[] = [0x01, 0x80]): Uint8Array[] {
  return masks.flatMap((mask) =>
    Array.from(bytes, (_, position) => {
      const altered = Uint8Array.from(bytes)
      altered[position]! ^= mask
      return altered
    }),
  )
}

/**
 * Altered forms that decode differently. The protobuf reader ignores the wire type in a member's tag:
 * such a flip changes the encoding only.
 */
export function decodesDifferently(
  schema: DescMessage,
  original: Uint8Array,
  altered: readonly Uint8Array[],
): Uint8Array[] {
  const meant = fromBinary(schema, original)
  return altered.filter((bytes) => {
    try {
      return !equals(schema, fromBinary(schema, bytes), meant)
    } catch {
      return true
    }
  })
}

/** Secrets of records that were opened before. */
const secretsOfRecords = new WeakMap<Uint8Array, Buffer<ArrayBuffer>[]>()

function secretsOfRecord(record: StoredRecord, keyring: Keyring): Buffer<ArrayBuffer>[] {
  if (record.sealed.length === 0) return []
  const secret = openSecret(record, keyring.records).use((bytes) => Buffer.from(bytes))
  if (record.kind !== RecordKind.WALLET) return [secret]
  return [secret.subarray(1, 1 + secret[0]!), secret.subarray(secret.length - 64)]
}

/** Root seed and wallet secrets, in each text encoding. */
function secretsOf({ boundary, client }: Pick<Fixture, "boundary" | "client">): string[] {
  const { keyring } = boundary.signer.state()
  const secrets = [readFileSync(join(boundary.directory, "signer", "root-seed"))]
  for (const bytes of client.records.values()) {
    const known = secretsOfRecords.get(bytes) ?? secretsOfRecord(fromBinary(RecordSchema, bytes), keyring)
    secretsOfRecords.set(bytes, known)
    secrets.push(...known)
  }
  return secrets.flatMap((secret) => [
    secret.toString("hex"),
    secret.toString("base64").replace(/=+$/, ""),
    secret.toString("base64url"),
  ])
}

function revealsSecret(sentence: string, fixture: Pick<Fixture, "boundary" | "client">): boolean {
  return secretsOf(fixture).some((secret) => sentence.includes(secret))
}
