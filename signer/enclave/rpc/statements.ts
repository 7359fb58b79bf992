import {
  type GetOrganizationHeadRequest,
  HeadStatementSchema,
  type ProbeRequest,
  ProbeStatementSchema,
} from "../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { HEAD_TAG, PROBE_TAG } from "../../core/wire.ts"
import { refuse } from "../../core/refusal.ts"
import { historyOf } from "../execution/state/history.ts"
import { unknownOrganization } from "../execution/state/organizations.ts"
import type { SignerContext } from "./context.ts"
import { readId, readNonce } from "./read-fields.ts"
import { signStatement } from "./signed-statement.ts"

/** States which document of an organization is current. The nonce makes the statement fresh. */
export async function getOrganizationHead(request: GetOrganizationHeadRequest, context: SignerContext) {
  const { ledger, log, keyring, nowMs } = context.state()
  const nonce = readNonce(request.nonce)
  const organizationId = readId(request.organizationId, "organizationId")
  const head = ledger.head(organizationId)
  if (head === undefined) throw unknownOrganization(organizationId)
  const { version: documentVersion, digest: documentDigest } = head
  const { origin, startIndex, decisions } = log.count(organizationId)
  const statement = {
    organizationId,
    documentVersion,
    documentDigest,
    nonce,
    statedAtMs: BigInt(nowMs()),
    ...historyOf(organizationId, keyring.pins, ledger),
    logOrigin: origin,
    logStart: BigInt(startIndex),
    decisions: BigInt(decisions),
  }
  return signStatement(HEAD_TAG, HeadStatementSchema, statement, keyring)
}

/** Shows that the signer signs and that its ledger can be written. The statement has a tag of its own and holds only the nonce and the time. */
export async function probe(request: ProbeRequest, context: SignerContext) {
  const { keyring, ledger, nowMs } = context.state()
  // Taking the time advances the ledger's time floor, so an idle signer finds out that the disk has room again.
  const statement = { nonce: readNonce(request.nonce), statedAtMs: BigInt(nowMs()) }
  if (ledger.isFull()) throw refuse("LEDGER_FULL", "the disk of the signer's ledger is full")
  return signStatement(PROBE_TAG, ProbeStatementSchema, statement, keyring)
}

/** The public identity of this deployment, which clients pin. */
export async function getPins(_request: unknown, context: SignerContext) {
  const { keyring, oidcIssuer } = context.state()
  const webhookPublicKey = keyring.webhooks.publicKey
  return { pins: keyring.pins, webhookPublicKey, ...(oidcIssuer !== undefined && { oidcIssuer }) }
}
