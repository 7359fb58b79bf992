import { create, toBinary } from "@bufbuild/protobuf"
import { LogKeyStatementSchema } from "../../../proto/gen/countersign/state/v1/log_pb.ts"
import type { Secret } from "../../core/crypto/secret.ts"
import { ED25519, type NoteSigner, noteSigner } from "../../core/log/note-key.ts"
import { LOG_KEY_TAG } from "../../core/wire.ts"
import { ed25519PrivateKey } from "../keys/signing/ed25519.ts"
import type { Notary } from "../organization/notarize.ts"

/** The key of the log's checkpoints. Witnesses know Ed25519 and not the notarizer's curve, so the notarizer certifies this key. */
export type LogKey = {
  readonly signerOf: (origin: string) => NoteSigner
  /** `LogKeyStatement`, with the notarizer's signature: whoever has the pins verifies it. */
  readonly statement: Uint8Array
  readonly signature: Uint8Array
}

/** @param secret 32 bytes, a branch of the root seed; the caller wipes it */
export function openLogKey(secret: Secret, deploymentId: string, notary: Notary): LogKey {
  const privateKey = ed25519PrivateKey(secret)
  const { publicKey } = noteSigner(deploymentId, ED25519, privateKey).key
  const statement = toBinary(
    LogKeyStatementSchema,
    create(LogKeyStatementSchema, { deploymentId, publicKey }),
  )
  return {
    signerOf: (origin) => noteSigner(origin, ED25519, privateKey),
    statement,
    signature: notary.sign(LOG_KEY_TAG, statement),
  }
}
