// The first hour with the published client: a wallet, a signature, a policy and an approval. docs/quickstart.md goes through
// it part by part. The example deletes its policy and its wallet at the end.
import { type Hex, keccak256, stringToHex } from "viem"
import { explain } from "./development-values.ts"
import { done, expect, step } from "./steps.ts"
import { clientOf, ETHEREUM, refusal, removePolicies, signedBy } from "./users.ts"

const OURS = "Example quickstart: "

const root = clientOf("root")
const { organizationName, username } = await root.getWhoami().catch(explain)
step("who am I", `${username} of ${organizationName}`)

await removePolicies(root, OURS)
const { walletId, addresses } = await root.createWallet({
  walletName: `${OURS}${new Date().toISOString()}`,
  accounts: [ETHEREUM],
})
const address = addresses[0] as Hex
step("a wallet", address)
try {
  const payload = {
    signWith: address,
    payload: "pay the supplier",
    encoding: "PAYLOAD_ENCODING_TEXT_UTF8",
    hashFunction: "HASH_FUNCTION_KECCAK256",
  } as const
  const signature = await root.signRawPayload(payload)
  step("a signature", `r ${signature.r.slice(0, 8)}…, s ${signature.s.slice(0, 8)}…, v ${signature.v}`)

  const hash = keccak256(stringToHex(payload.payload))
  step("viem verifies it", await signedBy(address, hash, signature))

  const [backend, alice] = [clientOf("backend"), clientOf("alice")]
  step("backend without a policy", await refusal(backend.signRawPayload(payload)))
  const { users } = await root.getUsers()
  const idOf = (name: string) => users.find(({ userName }) => userName === name)?.userId ?? ""
  await root.createPolicy({
    policyName: `${OURS}backend proposes, alice approves`,
    effect: "EFFECT_ALLOW",
    condition: `activity.kind == 'SIGN_RAW_PAYLOAD' && wallet.id == '${walletId}'`,
    consensus: ["backend", "alice"].map((name) => `approvers.any(u, u.id == '${idOf(name)}')`).join(" && "),
    notes: "",
  })
  step("a policy", "backend proposes, alice approves")

  const { activity } = await backend.signRawPayload({ ...payload, payload: "pay the rent" })
  step("backend proposes", activity.status)
  const approved = (await alice.approveActivity({ fingerprint: activity.fingerprint })).activity
  step("alice approves", approved.status)
  const result = approved.result.signRawPayloadResult
  if (result === undefined) throw new Error("the approved activity has no signature")
  step("what alice approved", await signedBy(address, keccak256(stringToHex("pay the rent")), result))
} finally {
  await removePolicies(root, OURS)
  await root.deleteWallets({ walletIds: [walletId], deleteWithoutExport: true })
}
const { wallets } = await root.getWallets()
expect("the wallet is deleted", !wallets.some((wallet) => wallet.walletId === walletId))
done("verify")
