import type { Hex } from "viem"
import { attempt, element, field, onClick, onSubmit } from "../../login/page/elements.ts"
import { createPasskey, PasskeyWallet } from "./passkey.ts"

type Configuration = { apiUrl: string; organizationId: string }

const configuration = (await (await fetch("/configuration.json")).json()) as Configuration
const wallet = new PasskeyWallet(configuration.apiUrl, configuration.organizationId)
let open: { organizationId: string; address: Hex } | undefined

onClick("create-passkey", async () => {
  const passkey = await createPasskey()
  const headers = { "content-type": "application/json" }
  const reply = await fetch("/sign-up", { method: "POST", headers, body: JSON.stringify(passkey) })
  const { message, organizationId } = (await reply.json()) as { message?: string; organizationId: string }
  if (!reply.ok) throw new Error(message)
  wallet.use(passkey.attestation.credentialId)
  await showWallet(organizationId)
})
onClick("use-passkey", async () => showWallet(await wallet.findOrganization()))
onSubmit("signing", async () => {
  if (open === undefined) return
  const { signature, signer } = await wallet.sign(open.organizationId, open.address, field("message").value)
  const isGenuine = signer === open.address
  element("signature").textContent = signature
  const verdict = element("verdict")
  verdict.textContent = isGenuine
    ? `✓ Verified here: signed by ${signer}`
    : `✗ Not genuine: signed by ${signer}`
  verdict.className = `state ${isGenuine ? "good" : "bad"}`
  element("signed").hidden = false
})
onClick("close", async () => {
  open = undefined
  element("signed").hidden = true
  show("enter")
})

await attempt(async () => show("enter"))

/** Shows the wallet of an organization, which the passkey asks the API for. */
async function showWallet(organizationId: string): Promise<void> {
  const address = await wallet.address(organizationId)
  open = { organizationId, address }
  element("address").textContent = address
  element("organization").textContent = organizationId
  show("wallet")
}

function show(part: "enter" | "wallet"): void {
  element("enter").hidden = part !== "enter"
  element("wallet").hidden = part !== "wallet"
}
