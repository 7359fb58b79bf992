// A signature with its app proof, and the verification of both against the deployment's pins. A function of the published clients
// verifies the proof's signature, the verifier of this repository all its statements.
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fromJson } from "@bufbuild/protobuf"
import { verifyAppProofSignature } from "@turnkey/crypto"
import type { Turnkey } from "@turnkey/sdk-server"
import { type Pins, PinsSchema } from "../proto/gen/countersign/state/v1/setup_pb.ts"
import { type Report, verifyProofs } from "../signer/core/proof/verify/index.ts"
import { DATA_DIRECTORY, fail, need } from "./development-values.ts"

type Client = ReturnType<InstanceType<typeof Turnkey>["apiClient"]>
type AppProof = Parameters<typeof verifyAppProofSignature>[0]
type BootProof = { ephemeralPublicKeyHex: string }
type Signature = { r: string; s: string; v: string }
type ProvenActivity = { appProofs: AppProof[]; result: { signRawPayloadResult: Signature } }

export type Proven = {
  signature: Signature
  proof: AppProof
  bootProof: BootProof
  report: Report
  /** The first digits of the deployment's root key, as `npm start` prints them. */
  rootKey: string
}

/** A signature by `signRawPayload` of the published clients, in a request that also asks for a proof. */
export async function signWithProof(client: Client, parameters: object): Promise<Proven> {
  // The client stamps and sends; its method `signRawPayload` has no member for the proof.
  const ask = async <Reply>(path: string, members: object) => {
    const body = { organizationId: need("ORGANIZATION_ID"), ...members }
    return (await client.request(`/public/v1/${path}`, body)) as Reply
  }
  const { activity } = await ask<{ activity: ProvenActivity }>("submit/sign_raw_payload", {
    type: "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2",
    timestampMs: String(Date.now()),
    generateAppProofs: true,
    parameters,
  })
  const proof = activity.appProofs[0] ?? fail("the signature came without a proof")
  verifyAppProofSignature(proof)
  const { bootProof } = await ask<{ bootProof: BootProof }>("query/get_boot_proof", {
    ephemeralKey: proof.publicKey,
  })
  const pins = readPins()
  return {
    signature: activity.result.signRawPayloadResult,
    proof,
    bootProof,
    report: verifyProofs({ proofs: [proof], bootProofs: [bootProof], pins, activity }),
    // An uncompressed point begins with 04.
    rootKey: pins.signerPublicKey.slice(2, 18).replace(/(....)(?=.)/g, "$1 "),
  }
}

/** The deployment's pins, which `countersign dev` compared with the signer's before it stored them. */
function readPins(): Pins {
  const file = join(DATA_DIRECTORY, "pins.json")
  if (!existsSync(file)) fail(`${file} is not there: npm start writes it`)
  return fromJson(PinsSchema, JSON.parse(readFileSync(file, "utf8")) as never)
}
