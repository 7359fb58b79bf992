import { SignerService } from "../../../proto/signer-service.ts"
import { connectGrpc, type GrpcEndpoint, orUnavailable } from "./grpc-client.ts"
import type { SignerTransport } from "./signer.ts"

/** Deadline of unary calls. */
const DEADLINE_MS = 10_000

/** The gRPC connection to the signer. */
export function connectSigner(endpoint: GrpcEndpoint): SignerTransport {
  const { call, close } = connectGrpc(SignerService, "signer", endpoint, DEADLINE_MS)
  return {
    open: ({ onAnswer, onBroken }) => {
      const stream = call.execute()
      stream.onMessage(({ answers }) => answers.forEach(onAnswer))
      stream.onEnd((error) => onBroken(error ?? new Error("the signer ended the stream")))
      return {
        write: (request) => void stream.send(request),
        end: () => stream.end(),
        cancel: () => stream.cancel(),
      }
    },
    recover: (organizationId, after) => fromSigner(call.recover({ organizationId, after })),
    readArchive: (organizationId, position, activityFingerprints) =>
      fromSigner(call.readArchive({ organizationId, ...position, activityFingerprints })),
    expireActivities: (organizationId, activityFingerprints) =>
      fromSigner(call.expireActivities({ organizationId, activityFingerprints })),
    listOrganizations: (afterOrganizationId) => fromSigner(call.listOrganizations({ afterOrganizationId })),
    readSession: async (organizationId, sessionPublicKey) => {
      const { record } = await fromSigner(call.readSession({ organizationId, sessionPublicKey }))
      return record.length > 0 ? [record] : []
    },
    verifyAttestation: (stamped) => fromSigner(call.verifyAttestation(stamped)),
    verifyIdToken: (inquiry) => fromSigner(call.verifyIdToken(inquiry)),
    orderOnRampStatus: (record, documents) => fromSigner(call.orderOnRampStatus({ record, documents })),
    getOrganizationHead: (organizationId, nonce) =>
      fromSigner(call.getOrganizationHead({ organizationId, nonce })),
    getAuthProxyConfiguration: (organizationId, nonce, documents) =>
      fromSigner(call.getAuthProxyConfiguration({ organizationId, nonce, documents })),
    readGasUsage: (organizationId) => fromSigner(call.readGasUsage({ organizationId })),
    readMetrics: () => fromSigner(call.readMetrics({})),
    signWebhooks: (statements) => fromSigner(call.signWebhooks({ statements })),
    getPins: () => fromSigner(call.getPins({})),
    getBootProof: () => fromSigner(call.getBootProof({})),
    readLog: (first, count) => fromSigner(call.readLog({ first: BigInt(first), count })),
    readLogTile: (level, index, width) =>
      fromSigner(call.readLogTile({ level, index: BigInt(index), width })),
    readLogConsistency: async (oldSize, size) => {
      const request = { oldSize: BigInt(oldSize), size: BigInt(size) }
      return (await fromSigner(call.readLogConsistency(request))).hashes
    },
    showCheckpoint: (checkpoint, replies = { cosignatures: [], reports: [] }) =>
      fromSigner(call.showCheckpoint({ checkpoint, ...replies })),
    probe: (nonce) => fromSigner(call.probe({ nonce })),
    onRenewed: (listener) => endpoint.tls?.onRenewed(listener),
    close,
  }
}

function fromSigner<Reply>(call: Promise<Reply>): Promise<Reply> {
  return orUnavailable(call, "the signer cannot be reached now; try again")
}
