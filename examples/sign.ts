// Signs with the unmodified published client, verifies the signature with another library, and verifies the proof that the signer
// decided it. Reads the values that `countersign dev` wrote into .env.local.
import { Turnkey } from "@turnkey/sdk-server"
import { type Hex, hashMessage, recoverAddress, serializeSignature, verifyMessage } from "viem"
import { explain, need } from "./development-values.ts"
import { signWithProof } from "./proofs.ts"
import { done, expect, step } from "./steps.ts"

const MESSAGE = "pay the supplier"

const client = new Turnkey({
  apiBaseUrl: need("BASE_URL"),
  apiPublicKey: need("API_PUBLIC_KEY"),
  apiPrivateKey: need("API_PRIVATE_KEY"),
  defaultOrganizationId: need("ORGANIZATION_ID"),
}).apiClient()

const { organizationName, username } = await client.getWhoami().catch(explain)
step("who am I", `${username} of ${organizationName}`)

const address = need("SIGN_WITH") as Hex
step("wallet", address)

const digest = hashMessage(MESSAGE)
const {
  signature: signed,
  report,
  rootKey,
} = await signWithProof(client, {
  signWith: address,
  payload: digest,
  encoding: "PAYLOAD_ENCODING_HEXADECIMAL",
  hashFunction: "HASH_FUNCTION_NO_OP",
})
const { r, s, v } = signed
const signature = serializeSignature({ r: `0x${r}`, s: `0x${s}`, yParity: Number.parseInt(v, 16) })
step("signature", signature)

expect("viem recovers the address from it", (await recoverAddress({ hash: digest, signature })) === address)
expect("viem verifies it", await verifyMessage({ address, message: MESSAGE, signature }))
const other = { address, message: `${MESSAGE} twice`, signature }
expect("viem refuses it for another message", !(await verifyMessage(other)))
expect("the proof of it is genuine", report.verified)
step("root key of the proof", rootKey)
done("quickstart")
