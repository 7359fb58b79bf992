// Requests a signature with an app proof of the decision and prints what the proof proves, and what it does not. `countersign verify
// proof` does the same from files.
import { Turnkey } from "@turnkey/sdk-server"
import { explain, need } from "./development-values.ts"
import { signWithProof } from "./proofs.ts"
import { done, expect, step } from "./steps.ts"

const client = new Turnkey({
  apiBaseUrl: need("BASE_URL"),
  apiPublicKey: need("API_PUBLIC_KEY"),
  apiPrivateKey: need("API_PRIVATE_KEY"),
  defaultOrganizationId: need("ORGANIZATION_ID"),
}).apiClient()

const { proof, bootProof, report } = await signWithProof(client, {
  signWith: need("SIGN_WITH"),
  payload: "pay the supplier",
  encoding: "PAYLOAD_ENCODING_TEXT_UTF8",
  hashFunction: "HASH_FUNCTION_KECCAK256",
}).catch(explain)
step("proof that the signer decided it", `${proof.signature.slice(0, 32)}…`)
step("who signed the proof", `${bootProof.ephemeralPublicKeyHex.slice(0, 32)}…`)
for (const { verdict, sentence } of report.proofs[0]?.findings ?? []) step(verdict, sentence)
expect("the proof holds", report.verified)
done("policies")
