import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { Test } from "tap"
import { type DescMessage, equals, fromBinary } from "@bufbuild/protobuf"
import { RecordKind, RecordSchema } from "../../proto/gen/countersign/state/v1/record_pb.ts"
import { ROW_KINDS } from "../../signer/enclave/ledger/ledger.ts"
import { openSecret } from "../../signer/enclave/records/record.ts"
import type { RefusalName } from "../../signer/core/refusal.ts"
import { type Answer, ApiSeat, type Tenant } from "../harness/api-seat.ts"
import { InProcessBoundary } from "../harness/boundary.ts"
import { Outside } from "../harness/outside.ts"
import { Reader } from "../harness/bundles.ts"
import { stampWith } from "../harness/stamper.ts"

/** A signer under attack, with one organization that has a wallet, and the attacker in the API tier's seat. */
export type Stage = {
  boundary: InProcessBoundary
  seat: ApiSeat
  /** The fetcher that the signer is paired with, and an issuer. */
  outside: Outside
  acme: Tenant
  walletId: string
  address: string
}

type Teardown = { teardown(clean: () => Promise<void>): unknown }

export async function stage(t: Teardown): Promise<Stage> {
  const outside = await Outside.open(t)
  const boundary = new InProcessBoundary(undefined, outside.pairing)
  t.teardown(() => boundary.close())
  outside.obey(boundary)
  const seat = new ApiSeat(boundary, outside)
  const acme = await seat.tenant()
  return { boundary, seat, outside, acme, ...(await seat.wallet(acme)) }
}

/** What the root user asks for; types without prefix. */
export function asRoot({ seat, acme }: Pick<Stage, "seat" | "acme">) {
  const { organizationId, root } = acme
  const typeOf = (name: string) => `ACTIVITY_TYPE_${name}`
  return {
    /** Expects an outcome. */
    submit: (type: string, parameters: object) => seat.submit(root, typeOf(type), organizationId, parameters),
    /** An honest order, whatever becomes of it. */
    attempt: (type: string, parameters: object) =>
      seat.send(seat.body(typeOf(type), organizationId, parameters), root),
    /** The same order again and again, each time with the document and whatever records are offered. */
    order: (type: string, parameters: object) => {
      const body = seat.body(typeOf(type), organizationId, parameters)
      const xStamp = stampWith(root, body)
      return (...records: Uint8Array[]) => {
        const document = seat.documents.get(organizationId) ?? new Uint8Array(0)
        return seat.order(body, xStamp, { document, records })
      }
    },
  }
}

/** Exports a wallet or private key, for what only happens to exported ones. */
export async function exportOnce(scene: Pick<Stage, "seat" | "acme">, id: string): Promise<void> {
  const { kind } = fromBinary(RecordSchema, scene.seat.records.get(id)!)
  const { targetPublicKey } = new Reader()
  const { submit } = asRoot(scene)
  if (kind === RecordKind.WALLET) await submit("EXPORT_WALLET", { walletId: id, targetPublicKey })
  else await submit("EXPORT_PRIVATE_KEY", { privateKeyId: id, targetPublicKey })
}

/** All that the signer remembers: heads and rows of the deployment and of these organizations, as one digest. */
export function memoryOf({ boundary, seat }: Pick<Stage, "boundary" | "seat">): string {
  const { ledger } = boundary.signer.work()
  const digest = createHash("sha256")
  for (const organizationId of ["", ...seat.documents.keys()]) {
    const head = ledger.head(organizationId)
    digest.update(`${organizationId} ${head?.version}`).update(head?.digest ?? "")
    for (const kind of ROW_KINDS) {
      for (const { key, value, expiresMs } of ledger.rows(organizationId, kind))
        digest.update(`${kind} ${key} ${expiresMs} `).update(value)
    }
  }
  return digest.digest("hex")
}

/**
 * The attack meets exactly this refusal, the signer remembers nothing of it, and its sentence tells no secret.
 * The attack may be made of several orders.
 */
export async function refused(
  t: Test,
  scene: Pick<Stage, "boundary" | "seat">,
  code: RefusalName,
  attack: () => Promise<Answer>,
  what: string = code,
): Promise<void> {
  const before = memoryOf(scene)
  const answer = await attack()
  t.match(answer, { is: "refused", code }, what)
  if (answer.is === "refused") t.notOk(tellsSecret(answer.sentence, scene), `${what}: tells no secret`)
  t.equal(memoryOf(scene), before, `${what}: leaves no trace`)
}

/** Each altered form meets this refusal; those that do not are listed. Prints how many were tried. */
export async function allRefused<Altered>(
  t: Test,
  scene: Pick<Stage, "boundary" | "seat">,
  code: RefusalName,
  altered: readonly Altered[],
  attack: (altered: Altered) => Promise<Answer>,
): Promise<void> {
  const before = memoryOf(scene)
  const others: string[] = []
  for (const [index, one] of altered.entries()) {
    const answer = await attack(one)
    const got = answer.is === "refused" ? answer.code : answer.is
    if (got !== code) others.push(`${index}: ${got}`)
    else if (answer.is === "refused" && tellsSecret(answer.sentence, scene)) others.push(`${index}: a secret`)
  }
  t.comment(`${altered.length - others.length}/${altered.length} refused ${code}`)
  t.same(others, [])
  t.equal(memoryOf(scene), before, "leaves no trace")
}

/** The bytes with one bit changed, once for each byte and each of the masks. */
export function flips(bytes: Uint8Array, masks: readonly number[] = [0x01, 0x80]): Uint8Array[] {
  return masks.flatMap((mask) =>
    Array.from(bytes, (_, position) => {
      const altered = Uint8Array.from(bytes)
      altered[position]! ^= mask
      return altered
    }),
  )
}

/**
 * Those altered forms that say something else. The reader of protobuf overlooks the wire type in a member's tag:
 * such a flip changes the wrapping and nothing that is wrapped.
 */
export function saysOtherwise(
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

/** Root seed and wallet secrets, in the spellings in which text could carry them. */
function secretsOf({ boundary, seat }: Pick<Stage, "boundary" | "seat">): string[] {
  const { keyring } = boundary.signer.work()
  const secrets = [readFileSync(join(boundary.directory, "signer", "root-seed"))]
  for (const bytes of seat.records.values()) {
    const record = fromBinary(RecordSchema, bytes)
    if (record.sealed.length === 0) continue
    const secret = openSecret(record, keyring.records).use((bytes) => Buffer.from(bytes))
    if (record.kind !== RecordKind.WALLET) secrets.push(secret)
    else secrets.push(secret.subarray(1, 1 + secret[0]!), secret.subarray(secret.length - 64))
  }
  return secrets.flatMap((secret) => [
    secret.toString("hex"),
    secret.toString("base64").replace(/=+$/, ""),
    secret.toString("base64url"),
  ])
}

function tellsSecret(sentence: string, scene: Pick<Stage, "boundary" | "seat">): boolean {
  return secretsOf(scene).some((secret) => sentence.includes(secret))
}
