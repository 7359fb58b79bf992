import type { MessageInitShape } from "@bufbuild/protobuf"
import {
  type DeploymentCertificateSchema,
  type DeploymentLinkSchema,
  type DeploymentQueueSchema,
  type GetDeploymentStateRequest,
  GetDeploymentStateResponseSchema,
} from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import { ApiError, GrpcCode } from "../../common/api-error.ts"
import { daysUntil } from "../../common/certificate-days.ts"
import type { Database } from "../../database/database.ts"
import { readBacklog, readOpenTransactions } from "../../database/queues.ts"
import { jsonText } from "../resources/json-text.ts"
import { timestamp } from "../resources/time.ts"
import { type Links, PEERS, type ShownCertificate } from "../signer/links.ts"
import type { Query } from "./shared/query.ts"

/** The deployment's own state: users of sub-organizations are customers, and operate nothing. */
export const getDeploymentState: Query<GetDeploymentStateRequest> = async (
  _request,
  { callerOrganization, signer, links, sql, nowMs },
) => {
  if (callerOrganization.document.parentId !== "") throw notAnOperator(callerOrganization.id)
  const [sealEpoch, queues] = await Promise.all([
    // Certificates and queues are shown also while the signer is away.
    signer.readMetrics().then(
      (figures) => figures.sealEpoch,
      () => 0,
    ),
    queuesOf(sql),
  ])
  return jsonText(GetDeploymentStateResponseSchema, {
    ...(sealEpoch !== 0 && { sealEpoch }),
    links: linksOf(links, nowMs),
    queues,
  })
}

function notAnOperator(organizationId: string): ApiError {
  return new ApiError(
    GrpcCode.permissionDenied,
    `request not authorized: ${organizationId} is a sub-organization; a user of a top-level organization may send get_deployment_state`,
    { publicCode: "REQUEST_NOT_AUTHORIZED" },
  )
}

function linksOf(links: Links, nowMs: number): MessageInitShape<typeof DeploymentLinkSchema>[] {
  return [
    { peer: "CALLERS", transport: "PLAIN_HTTP" },
    ...PEERS.map((peer) => ({
      peer: peer.toUpperCase(),
      transport: links[peer] === undefined ? "UNIX_SOCKET" : "MUTUAL_TLS",
      certificates: (links[peer]?.certificates ?? []).map((shown) => certificateResource(shown, nowMs)),
    })),
  ]
}

function certificateResource(
  { holder, name, issuer, expiresAtMs }: ShownCertificate,
  nowMs: number,
): MessageInitShape<typeof DeploymentCertificateSchema> {
  return {
    holder: holder.toUpperCase(),
    subject: name,
    issuer,
    expiresAt: timestamp(expiresAtMs),
    daysLeft: daysUntil(expiresAtMs, nowMs),
  }
}

async function queuesOf(sql: Database): Promise<MessageInitShape<typeof DeploymentQueueSchema>[]> {
  const [{ waiting, dead, oldestMs }, transactions] = await Promise.all([
    readBacklog(sql),
    readOpenTransactions(sql),
  ])
  return [
    ...transactions.map((open) => ({
      name: "TRANSACTIONS",
      caip2: open.chain,
      waitingCount: open.waiting,
      oldestAt: timestamp(open.oldestMs),
    })),
    {
      name: "NOTIFICATIONS",
      waitingCount: waiting,
      deadCount: dead,
      ...(oldestMs !== undefined && { oldestAt: timestamp(oldestMs) }),
    },
  ]
}
