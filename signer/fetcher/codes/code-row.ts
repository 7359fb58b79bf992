import { randomBytes } from "node:crypto"
import { create, fromBinary, toBinary } from "@bufbuild/protobuf"
import { type CodeState, CodeStateSchema } from "../../../proto/gen/countersign/state/v1/code_pb.ts"
import { openAesGcm, sealAesGcm } from "../../core/crypto/aes-gcm.ts"
import { Secret, wiping } from "../../core/crypto/secret.ts"
import { readUuid } from "../../core/uuid.ts"
import type { CodeKeys } from "./keys.ts"
import type { CodeRow } from "./row-mac.ts"

const NONCE_LENGTH = 12

/** A code with its id, UUID. */
export type StoredCode = { otpId: string; state: CodeState }

/** Key of a code's row: the 16 bytes of its id. Undefined: the text is no UUID. */
export function codeKey(otpId: string): Uint8Array | undefined {
  const id = readUuid(otpId)
  return id === undefined ? undefined : Buffer.from(id.replaceAll("-", ""), "hex")
}

/** The row of a code: nonce(12) || ciphertext || tag(16), AES-256-GCM, the row's key as associated data. */
export function sealCode(key: Uint8Array, state: CodeState, expiresMs: number, { seal }: CodeKeys): CodeRow {
  const nonce = randomBytes(NONCE_LENGTH)
  const plaintext = Secret.moveFrom(toBinary(CodeStateSchema, state))
  const sealed = wiping([plaintext], () => sealAesGcm({ key: seal.export(), nonce, aad: key }, plaintext))
  return { kind: "code", key, expiresMs, value: Buffer.concat([nonce, sealed]) }
}

/** @throws {Error} for a row that the store authenticated and that does not open, which no fault of a disk leads to */
export function openCode(key: Uint8Array, value: Uint8Array, { seal }: CodeKeys): CodeState {
  const nonce = value.subarray(0, NONCE_LENGTH)
  const plaintext = openAesGcm({ key: seal.export(), nonce, aad: key }, value.subarray(NONCE_LENGTH))
  if (plaintext === undefined) throw new Error("a stored one-time code does not open")
  // A copy: decoded byte fields are views of their source, which is wiped.
  return wiping([plaintext], () =>
    plaintext.use((bytes) => fromBinary(CodeStateSchema, Uint8Array.from(bytes))),
  )
}

/** The code without what only an attempt needs. */
export function closed(state: CodeState): CodeState {
  return create(CodeStateSchema, { ...state, digest: new Uint8Array(0), targetKey: new Uint8Array(0) })
}
