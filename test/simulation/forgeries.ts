import { NotarizedDocumentSchema } from "../../proto/gen/countersign/state/v1/document_pb.ts"
import { RecordSchema } from "../../proto/gen/countersign/state/v1/record_pb.ts"
import { decodesDifferently } from "../hostile/setup.ts"
import { chance } from "../harness/chance.ts"
import { nameOf } from "../harness/api-client.ts"
import { Refusal } from "../../signer/core/refusal.ts"
import { DEPLOYMENT, OUTCOMES } from "../../signer/enclave/ledger/ledger.ts"
import { withMovedByte } from "./moved-bytes.ts"
import type { Act, Organization } from "./oracle.ts"
import type { Prepared } from "./requests.ts"
import { check, requireReady, type Run, sendAgain } from "./run.ts"
import type { Step } from "./steps.ts"
import { alterStoredBit, type StoredPart, withFlippedBit } from "./stored-bits.ts"

type Forged = Extract<Step, { is: "forged" }>

/** Forges something that the signer must refuse. Afterwards the signer must go on as before. @throws Error */
export async function takeForged(run: Run, step: Forged): Promise<void> {
  run.figures.forged += 1
  switch (step.of) {
    case "stamp":
      return forgeStamp(run, step)
    case "document":
    case "record":
      return forgeSupplied(run, step, step.of)
    case "ledger":
      return forgeLedger(run, step)
    default:
      return step.of satisfies never
  }
}

/** Sends a body with a stamp that is not its own: another request's, or the one from before a space was added to the body. */
async function forgeStamp({ requests, tier }: Run, { which, at }: Forged): Promise<void> {
  const [earlier, other] = [requests.earlier(which), requests.earlier(at)]
  if (earlier === undefined || other === undefined) return
  const isSame = other.sent.body === earlier.sent.body
  const body = isSame ? `${earlier.sent.body} ` : earlier.sent.body
  const answer = await tier.deliver({ body, stamp: other.sent.stamp }, "honest", () => 0)
  if (answer?.case !== "refused") throw new Error("a stamp of another body was accepted")
}

/** Bits that a step alters, one after another. */
const BITS = 4

/** Codes for a document or record that is not as the signer wrote it. */
const OF_SUPPLIED = /^(?:DOCUMENT_|RECORD_)/

/** A signer that knows no document yet is shown one, or a record, with a bit altered. */
async function forgeSupplied(run: Run, step: Forged, kind: "document" | "record"): Promise<void> {
  const { signer, tier, mutant } = run
  await tier.recover()
  await signer.restart()
  const prepared = requestOf(run, step, kind)
  if (prepared === undefined) return
  const pick = chance(step.at)
  const before = signer.stateDigest
  const alter = (bytes: Uint8Array) => (mutant.overlooks === kind ? bytes : alteredForm(bytes, kind, pick))
  for (let bit = 0; bit < BITS; bit++) {
    const answer = await tier.deliverAltered(prepared.sent, kind, { alter, pick })
    // A denied request needs no record.
    if (answer === undefined) break
    const name = answer.case === "refused" ? nameOf(answer.value.code) : answer.case
    if (!OF_SUPPLIED.test(name ?? "")) throw new Error(`an altered ${kind} was answered ${name}`)
    if (signer.stateDigest !== before) throw new Error(`an altered ${kind} changed the ledger`)
  }
  requireReady(run)
  await check(run, [prepared], [await sendAgain(run, prepared)])
}

/** The reader of protobuf ignores the wire type in a member's tag, so that some bits change nothing that is read. */
function alteredForm(bytes: Uint8Array, kind: "document" | "record", pick: (below: number) => number) {
  const schema = kind === "document" ? NotarizedDocumentSchema : RecordSchema
  for (;;) {
    const altered = pick(2) === 0 ? withMovedByte(schema, bytes, pick) : withFlippedBit(bytes, pick)
    if (decodesDifferently(schema, bytes, [altered]).length > 0) return altered
  }
}

/** A request that needs the document, or a record where the organization has one. */
function requestOf({ requests, world, signer }: Run, { which, at }: Forged, kind: "document" | "record") {
  const organizations = [...world.values()].filter(
    ({ accounts }) => kind === "document" || accounts.length > 0,
  )
  const organization = organizations[which % Math.max(1, organizations.length)]
  if (organization === undefined) return undefined
  const { accounts } = organization
  const account = accounts[at % Math.max(1, accounts.length)]
  const act: Act = kind === "document" ? { is: "create-wallet" } : chooseUse(account!, which)
  return requests.ask(organization.organizationId, act, rootKeyOf(organization), signer.nowMs())
}

const chooseUse = ({ walletId, address }: Organization["accounts"][number], which: number): Act =>
  which % 2 === 0 ? { is: "sign", address } : { is: "create-account", walletId }

/** A key of a member of the root quorum. */
function rootKeyOf({ users, quorum }: Organization): string {
  return users.find(({ userId }) => userId === quorum.userIds[0])!.keys[0]!.publicKey
}

/** While no process runs, the host alters a bit of the stored ledger. */
async function forgeLedger(run: Run, step: Forged): Promise<void> {
  const { signer, figures, world } = run
  const organizations = [...world.values()]
  const organization = organizations[step.which % organizations.length]!
  const part = partOf(step, organization)
  await run.tier.recover()
  figures.kills += 1
  signer.kill()
  const pick = chance(step.at)
  for (let bit = 0; bit < BITS; bit++) await alterLedger(run, part, organization, pick)
  await signer.start()
  requireReady(run)
}

async function alterLedger(
  run: Run,
  part: StoredPart,
  organization: Organization,
  pick: (below: number) => number,
): Promise<void> {
  const { signer, mutant } = run
  const { storage } = signer
  const undo = alterStoredBit(storage, part, pick)
  if (undo === undefined) return
  if (mutant.overlooks === "ledger") undo()
  const { length } = storage.batches
  const isRefused = await refuses(run, part, organization)
  signer.kill()
  undo()
  if (!isRefused) throw new Error(`an altered ${describe(part)} of the ledger was not noticed`)
  // The time floor is no row.
  if (storage.batches.slice(length).some(({ changes }) => changes.length > 0))
    throw new Error("rows of a damaged ledger were written")
}

/** Half of all alterations are of the organization's own shard. */
function partOf({ which, at }: Forged, { organizationId }: Organization): StoredPart {
  const parts: StoredPart[] = [
    { of: "row", shard: organizationId },
    { of: "row", shard: organizationId },
    { of: "shard", shard: organizationId },
    { of: "row", shard: OUTCOMES },
    { of: "shard", shard: DEPLOYMENT },
    { of: "lane" },
  ]
  return parts[(which + at) % parts.length]!
}

const describe = (part: StoredPart) =>
  part.of === "lane" ? "lane" : `${part.of} of ${part.shard === "" ? "the deployment" : part.shard}`

/** True if the start, or a request that reads the part, is refused with LEDGER_DAMAGED. */
async function refuses(run: Run, part: StoredPart, organization: Organization): Promise<boolean> {
  const { signer, tier, requests } = run
  try {
    await signer.start()
    if (part.of === "lane" || part.shard === DEPLOYMENT) return false
    if (part.shard === OUTCOMES) await signer.recoverAll()
  } catch (error) {
    return error instanceof Refusal && error.code === "LEDGER_DAMAGED"
  }
  if (part.shard === OUTCOMES) return false
  const { organizationId } = organization
  const { sent }: Prepared = requests.ask(
    organizationId,
    { is: "create-wallet" },
    rootKeyOf(organization),
    signer.nowMs(),
  )
  const answer = await tier.show(organizationId, sent)
  return answer?.case === "refused" && nameOf(answer.value.code) === "LEDGER_DAMAGED"
}
