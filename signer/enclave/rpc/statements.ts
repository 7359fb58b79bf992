import { create, type DescMessage, type MessageInitShape, toBinary } from "@bufbuild/protobuf"
import {
  type GetAuthProxyConfigurationRequest,
  type GetOrganizationHeadRequest,
  HeadStatementSchema,
  type ProbeRequest,
  ProbeStatementSchema,
} from "../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { AuthProxyStatementSchema } from "../../../proto/gen/countersign/state/v1/auth_proxy_pb.ts"
import { unusableMethods } from "../../core/auth-proxy/unusable-methods.ts"
import { AUTH_PROXY_TAG } from "../../core/auth-proxy/statement.ts"
import { PROBE_TAG } from "../../core/wire.ts"
import { refuse } from "../../core/refusal.ts"
import { ContextNeeded, SuppliedDocuments, unknownOrganization } from "../execution/state/organizations.ts"
import type { SignerContext, ServingState } from "./context.ts"
import { readId, readNonce } from "./read-fields.ts"

const HEAD_TAG = "countersign/v1/organization-head"

/** States which document of an organization is current. The nonce makes the statement fresh. */
export async function getOrganizationHead(request: GetOrganizationHeadRequest, context: SignerContext) {
  const { ledger, keyring, nowMs } = context.state()
  const nonce = readNonce(request.nonce)
  const organizationId = readId(request.organizationId, "organizationId")
  const head = ledger.head(organizationId)
  if (head === undefined) throw unknownOrganization(organizationId)
  const { version: documentVersion, digest: documentDigest } = head
  const statement = { organizationId, documentVersion, documentDigest, nonce, statedAtMs: BigInt(nowMs()) }
  return sign(HEAD_TAG, HeadStatementSchema, statement, keyring)
}

/** States the current configuration of an auth proxy, or names the document that is needed. */
export async function getAuthProxyConfiguration(
  request: GetAuthProxyConfigurationRequest,
  context: SignerContext,
) {
  const { organizations, keyring, nowMs, oidcIssuer = "" } = context.state()
  const nonce = readNonce(request.nonce)
  const organizationId = readId(request.organizationId, "organizationId")
  try {
    const supplied = new SuppliedDocuments(request.documents, keyring.notary)
    const { document } = organizations.openRelated(organizationId, supplied)
    const { authProxy, version: documentVersion, name: organizationName } = document
    if (authProxy === undefined) {
      const sentence = `organization ${organizationId} has no auth proxy: enable_auth_proxy makes one`
      throw refuse("AUTH_PROXY_CONFIG_UNKNOWN", sentence)
    }
    const { configId, userId, publicKey, sealedPrivateKey, settings } = authProxy
    const config = { configId, userId, enabled: publicKey !== "", publicKey, ...(settings && { settings }) }
    const stated = { organizationId, documentVersion, organizationName, config, sealedPrivateKey, nonce }
    const { fetcherPublicKey } = keyring.pins
    const means = { hasFetcher: fetcherPublicKey !== "", issuer: oidcIssuer }
    const unusable = { unusableMethods: unusableMethods(document, means) }
    const statement = { ...stated, ...unusable, oidcIssuer, fetcherPublicKey, statedAtMs: BigInt(nowMs()) }
    return sign(AUTH_PROXY_TAG, AuthProxyStatementSchema, statement, keyring)
  } catch (error) {
    if (!(error instanceof ContextNeeded)) throw error
    return { documents: error.needed.documents ?? [] }
  }
}

/** Shows that the signer signs and that its ledger can be written. The statement has a tag of its own and holds only the nonce and the time. */
export async function probe(request: ProbeRequest, context: SignerContext) {
  const { keyring, ledger, nowMs } = context.state()
  // Taking the time advances the ledger's time floor, so an idle signer finds out that the disk has room again.
  const statement = { nonce: readNonce(request.nonce), statedAtMs: BigInt(nowMs()) }
  if (ledger.isFull()) throw refuse("LEDGER_FULL", "the disk of the signer's ledger is full")
  return sign(PROBE_TAG, ProbeStatementSchema, statement, keyring)
}

function sign<S extends DescMessage>(
  tag: string,
  schema: S,
  fields: MessageInitShape<S>,
  { notary }: ServingState["keyring"],
) {
  const statement = toBinary(schema, create(schema, fields))
  return { statement, signature: notary.sign(tag, statement) }
}
