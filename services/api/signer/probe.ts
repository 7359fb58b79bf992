import { createPublicKey, type KeyObject, randomBytes, verify } from "node:crypto"
import { fromBinary } from "@bufbuild/protobuf"
import {
  type ProbeResponse,
  ProbeStatementSchema,
} from "../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import type { Signer } from "./signer.ts"

const PROBE_TAG = "countersign/v1/probe"
const NONCE_BYTES = 32
/** Encryption point and signing point of a key set, each 04 || x || y, in hexadecimal digits (docs/formats/pins.md). */
const KEY_SET = /^04[0-9a-f]{128}04(?<x>[0-9a-f]{64})(?<y>[0-9a-f]{64})$/

/** Whether the signer signs a fresh nonce with the key that its pins name: it needs no organization for that. */
export async function signsProbe(signer: Pick<Signer, "getPins" | "probe">): Promise<boolean> {
  const nonce = randomBytes(NONCE_BYTES)
  const [{ pins }, answer] = await Promise.all([signer.getPins(), signer.probe(nonce)])
  const key = readSigningKey(pins?.notarizerPublicKey ?? "")
  return key !== undefined && isSignedNonce(key, answer, nonce)
}

function readSigningKey(keySet: string): KeyObject | undefined {
  const { x, y } = KEY_SET.exec(keySet)?.groups ?? {}
  if (x === undefined || y === undefined) return undefined
  try {
    const key = { kty: "EC", crv: "P-256", x: base64urlOf(x), y: base64urlOf(y) }
    return createPublicKey({ key, format: "jwk" })
  } catch {
    // No point of the curve.
    return undefined
  }
}

function base64urlOf(hex: string): string {
  return Buffer.from(hex, "hex").toString("base64url")
}

function isSignedNonce(key: KeyObject, { statement, signature }: ProbeResponse, nonce: Buffer): boolean {
  const signed = Buffer.concat([Buffer.from(`${PROBE_TAG}\0`), statement])
  if (!verify("sha256", signed, { key, dsaEncoding: "ieee-p1363" }, signature)) return false
  return nonce.equals(fromBinary(ProbeStatementSchema, statement).nonce)
}
