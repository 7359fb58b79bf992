import { SignerService } from "../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import type { Peer } from "../config.ts"
import { connectPeer, told as toldBy } from "./peer.ts"
import type { SignerLink } from "./signer.ts"

/** Of unary calls. */
const DEADLINE_MS = 10_000

/** The wire to the signer. */
export function connectSigner(peer: Peer): SignerLink {
  const { call, close } = connectPeer(SignerService, "signer", peer, DEADLINE_MS)
  return {
    open: ({ onAnswer, onBroken }) => {
      const stream = call.execute()
      stream.onMessage(({ answers }) => answers.forEach(onAnswer))
      stream.onEnd((error) => onBroken(error ?? new Error("the signer ended the stream")))
      return { write: (request) => void stream.send(request), end: () => stream.end() }
    },
    recover: (organizationId, after) => told(call.recover({ organizationId, after })),
    readArchive: (organizationId, afterRecordId) => told(call.readArchive({ organizationId, afterRecordId })),
    readSession: async (organizationId, sessionPublicKey) => {
      const { records } = await told(
        call.readArchive({ organizationId, afterRecordId: "", sessionPublicKey }),
      )
      return records
    },
    getOrganizationHead: (organizationId, nonce) => told(call.getOrganizationHead({ organizationId, nonce })),
    getPins: () => told(call.getPins({})),
    getBootProof: () => told(call.getBootProof({})),
    probe: (nonce) => told(call.probe({ nonce })),
    close,
  }
}

function told<Reply>(call: Promise<Reply>): Promise<Reply> {
  return toldBy(call, "the signer cannot be asked now; try again")
}
