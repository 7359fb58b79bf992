// Requests a signature with an app proof of the decision and verifies the proof offline against the deployment's pins. A
// function of the published clients verifies its signature, the verifier of this repository all its statements. `countersign
// verify proof` does the same from files.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fromJson } from "@bufbuild/protobuf"
import { verifyAppProofSignature } from "@turnkey/crypto"
import { Turnkey } from "@turnkey/sdk-server"
import { PinsSchema } from "../proto/gen/countersign/state/v1/setup_pb.ts"
import { verifyProofs } from "../signer/core/proof/verify/index.ts"
import { DATA_DIRECTORY, explain, fail, need } from "./development-values.ts"
import { done, expect, step } from "./steps.ts"

type AppProof = Parameters<typeof verifyAppProofSignature>[0]
type ProvenActivity = { appProofs: AppProof[] }
type BootProof = { ephemeralPublicKeyHex: string }

const client = new Turnkey({
  apiBaseUrl: need("BASE_URL"),
  apiPublicKey: need("API_PUBLIC_KEY"),
  apiPrivateKey: need("API_PRIVATE_KEY"),
  defaultOrganizationId: need("ORGANIZATION_ID"),
}).apiClient()

const { activity } = await ask<{ activity: ProvenActivity }>("submit/sign_raw_payload", {
  type: "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2",
  timestampMs: String(Date.now()),
  generateAppProofs: true,
  parameters: {
    signWith: need("SIGN_WITH"),
    payload: "pay the supplier",
    encoding: "PAYLOAD_ENCODING_TEXT_UTF8",
    hashFunction: "HASH_FUNCTION_KECCAK256",
  },
}).catch(explain)
const proof = activity.appProofs[0] ?? fail("the signature came without a proof")
verifyAppProofSignature(proof)
step("proof that the signer decided it", `${proof.signature.slice(0, 32)}…`)

const { bootProof } = await ask<{ bootProof: BootProof }>("query/get_boot_proof", {
  ephemeralKey: proof.publicKey,
})
step("who signed the proof", `${bootProof.ephemeralPublicKeyHex.slice(0, 32)}…`)

// The deployment's pins, which `countersign dev` compared with the signer's before it stored them.
const pins = fromJson(
  PinsSchema,
  JSON.parse(readFileSync(join(DATA_DIRECTORY, "pins.json"), "utf8")) as never,
)
const report = verifyProofs({ proofs: [proof], bootProofs: [bootProof], pins, activity })
for (const { verdict, sentence } of report.proofs[0]?.findings ?? []) step(verdict, sentence)
expect("the proof holds", report.verified)
done("policies")

/** A query stamped by the client, which has no methods for proofs. */
async function ask<Reply>(path: string, members: object): Promise<Reply> {
  const body = { organizationId: need("ORGANIZATION_ID"), ...members }
  return (await client.request(`/public/v1/${path}`, body)) as Reply
}
