import { randomBytes } from "node:crypto"
import { fromBinary } from "@bufbuild/protobuf"
import { ProbeStatementSchema } from "../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { isSignedTagged, readPublicKeySet } from "../../../signer/core/crypto/keyset.ts"
import { PROBE_TAG } from "../../../signer/core/wire.ts"
import type { Signer } from "./signer.ts"

const NONCE_BYTES = 32

/** True if the signer signs a fresh nonce with the key that its pins name. This needs no organization. */
export async function signsProbe(signer: Pick<Signer, "getPins" | "probe">): Promise<boolean> {
  const nonce = randomBytes(NONCE_BYTES)
  const [{ pins }, { statement, signature }] = await Promise.all([signer.getPins(), signer.probe(nonce)])
  const keySet = readPublicKeySet(pins?.notarizerPublicKey ?? "")
  if (keySet === undefined || !isSignedTagged(keySet.sign, PROBE_TAG, statement, signature)) return false
  return nonce.equals(fromBinary(ProbeStatementSchema, statement).nonce)
}
