import type { Hex } from "viem"
import { attempt, element, onClick } from "../../pages/elements.ts"
import { walletCard } from "../../pages/wallet-card.ts"
import { createPasskey, PasskeyWallet } from "./passkey.ts"

type Configuration = { apiUrl: string; organizationId: string }

const configuration = (await (await fetch("/configuration.json")).json()) as Configuration
const wallet = new PasskeyWallet(configuration.apiUrl, configuration.organizationId)
let open: { organizationId: string; address: Hex } | undefined
const fill = walletCard({
  sign: async (message) => {
    if (open === undefined) throw new Error("There is no open wallet.")
    return wallet.sign(open.organizationId, open.address, message)
  },
  closing: "Close wallet",
  close: async () => {
    open = undefined
    show("enter")
  },
  note: "Shown: the server created this organization and cannot sign in it. The passkey stamped the request in this browser, and the signer verified that stamp before it used the wallet's key.",
})

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

await attempt(async () => show("enter"))

/** Shows the wallet of an organization, which the passkey asks the API for. */
async function showWallet(organizationId: string): Promise<void> {
  const address = await wallet.address(organizationId)
  open = { organizationId, address }
  fill({ address, organization: organizationId })
  show("wallet")
}

function show(part: "enter" | "wallet"): void {
  element("enter").hidden = part !== "enter"
  element("wallet").hidden = part !== "wallet"
}
